import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Pace } from '../../commands/face.ts';
import type { Post, PostOf } from '../../github/write/post.ts';
import { jsonText } from './json.ts';
import type { AppDb } from './tables.ts';

/** What should stand on GitHub, through the App's installation there. */
export type Wish = Post & {
  installationId: number;
  /** For somebody who may not: waits behind everything else and is dropped first (threats.md G16). */
  isForStranger?: boolean;
  pace?: Pace | undefined;
};

/** The reactions that tell how a run stands: those still at 👀, and the one of its newest request. */
export async function reactionsOfRun(
  db: AppDb,
  runId: string,
): Promise<Omit<PostOf<'reaction'> & { installationId: number }, 'content'>[]> {
  const { rows } = await sql<Omit<PostOf<'reaction'> & { installationId: number }, 'content'>>`
    select p.key, p.kind, p.installation_id::float8 as "installationId", p.repository, p.number,
      p.target
    from app.requests r join app.posts p on p.key = 'reaction:' || r.id
    where r.run_id = ${runId} and (p.content->>'content' = 'eyes' or r.created_at =
      (select max(created_at) from app.requests where run_id = ${runId}))`.execute(db);
  return rows;
}

/** The checks of a run that are not complete, as they are wished for. */
export async function openChecks(
  db: AppDb,
  runId: string,
): Promise<(PostOf<'check'> & { installationId: number })[]> {
  const { rows } = await sql<PostOf<'check'> & { installationId: number }>`
    select key, kind, installation_id::float8 as "installationId", repository, number, target, content
    from app.posts
    where key like ${`check:${runId}:%`} and content->>'status' <> 'completed'`.execute(db);
  return rows;
}

/** A wish that is not fulfilled yet. */
export type DuePost = Wish & {
  id: string;
  version: number;
  /** GitHub's id once it was created. */
  remoteId: string | null;
  /** When creating it was first tried: from then on it is looked for before it is created. */
  triedAt: Date | null;
  attempts: number;
  /** Shows a state that will pass. */
  isPassing: boolean;
};

/**
 * Says what should stand on GitHub; nothing is written when it stands there already, or when somebody took it
 * away. What has a pace waits for it, and for its turn where the last try failed.
 */
export async function wish(db: AppDb, wanted: Wish): Promise<void> {
  const content = jsonText(wanted.content);
  const digest = hash('sha256', content, 'base64url');
  const { everyMs, afterMs } = wanted.pace ?? { everyMs: 0, afterMs: 0 };
  const isPassing = wanted.pace !== undefined;
  await sql`
    insert into app.posts
      (key, kind, installation_id, repository, number, target, content, digest, for_stranger, passing)
    values (${wanted.key}, ${wanted.kind}, ${wanted.installationId}, ${wanted.repository},
      ${wanted.number}, ${jsonText(wanted.target)}::jsonb, ${content}::jsonb, ${digest},
      ${wanted.isForStranger === true}, ${isPassing})
    on conflict (key) do update
    set content = excluded.content, digest = excluded.digest, version = app.posts.version + 1,
        passing = excluded.passing,
        attempts = case when excluded.passing then app.posts.attempts else 0 end,
        failure = case when excluded.passing then app.posts.failure end,
        run_at = case when not excluded.passing then now()
          when app.posts.failure is not null or app.posts.remote_id is null then app.posts.run_at
          else greatest(now() + make_interval(secs => ${afterMs / 1000}::float8),
            app.posts.edited_at + make_interval(secs => ${everyMs / 1000}::float8)) end
    where app.posts.digest <> excluded.digest and not app.posts.gone`.execute(db);
  await sql`
    insert into app.installations (id) values (${wanted.installationId})
    on conflict do nothing`.execute(db);
}

/** Puts another text under the marker of a comment, if it was wished for; answers whether it was. */
export async function changeBody(db: AppDb, key: string, text: string): Promise<boolean> {
  const { rows } = await sql<PostOf<'comment'> & { installationId: number }>`
    select key, kind, installation_id::float8 as "installationId", repository, number, target
    from app.posts where key = ${key}`.execute(db);
  const [stands] = rows;
  if (!stands) return false;
  await wish(db, { ...stands, content: { body: `${stands.target.marker}\n${text}` } });
  return true;
}

/** The next post of an installation that is due: strangers’ last, what is new before what changed, oldest first. */
export async function nextPost(db: AppDb, installationId: number): Promise<DuePost | undefined> {
  const { rows } = await sql<DuePost>`
    select id::text, key, kind, installation_id::float8 as "installationId", repository, number,
      target, content, version, remote_id as "remoteId", tried_at as "triedAt", attempts,
      for_stranger as "isForStranger", passing as "isPassing"
    from app.posts
    where installation_id = ${installationId} and written < version and run_at <= now()
    order by for_stranger, passing and remote_id is not null, remote_id is not null, id limit 1`.execute(
    db,
  );
  return rows[0];
}

/** Remembers, before the first request, that this post may exist on GitHub from now on. */
export async function markTried(db: AppDb, id: string): Promise<void> {
  await sql`update app.posts set tried_at = coalesce(tried_at, now()) where id = ${id}`.execute(db);
}

/**
 * Remembers what was written, and answers the id that counts: that of a reaction changes with it, of
 * anything else the first one stays.
 */
export async function markWritten(
  db: AppDb,
  post: Pick<DuePost, 'id' | 'version' | 'kind'>,
  remoteId: string,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    update app.posts
    set remote_id = case when ${post.kind === 'reaction'} then ${remoteId}
        else coalesce(remote_id, ${remoteId}) end,
      edited_at = case when remote_id is not null then now() end,
      written = ${post.version}, attempts = 0, failure = null
    where id = ${post.id} returning remote_id as id`.execute(db);
  return rows[0]?.id ?? remoteId;
}

/** What GitHub refused for good is not tried again with what only passes. */
const ABANDONED_SECONDS = 600;

/** Gives a post up: GitHub will never take it (deleted thread, locked conversation). */
export async function abandonPost(
  db: AppDb,
  post: Pick<DuePost, 'id' | 'version'>,
  { failure, isGone = false }: { failure: string; isGone?: boolean },
): Promise<void> {
  await sql`
    update app.posts set written = ${post.version}, failure = ${failure}, gone = ${isGone},
      run_at = case when version > ${post.version} and not passing then now()
        else now() + make_interval(secs => ${ABANDONED_SECONDS}) end
    where id = ${post.id}`.execute(db);
}

/** Takes up again what an installation's GitHub did not take within so many days. */
export async function retryAbandoned(
  db: AppDb,
  installationId: number,
  days: number,
): Promise<void> {
  await sql`
    update app.posts
    set version = version + 1, attempts = 0, run_at = now(), failure = null, gone = false
    where installation_id = ${installationId} and failure is not null and not for_stranger
      and created_at > now() - make_interval(days => ${days})`.execute(db);
}

export async function postponePost(
  db: AppDb,
  id: string,
  delayMs: number,
  failure: string,
): Promise<void> {
  await sql`
    update app.posts
    set attempts = attempts + 1, failure = ${failure},
        run_at = now() + make_interval(secs => ${delayMs / 1000}::float8)
    where id = ${id}`.execute(db);
}

/** Has the checks of a run written once more, as they are. */
export async function writeChecksAgain(db: AppDb, runId: string): Promise<void> {
  await sql`
    update app.posts set version = version + 1, attempts = 0, run_at = now()
    where kind = 'check' and starts_with(key, ${`check:${runId}:`})`.execute(db);
}

export async function outboxDepth(db: AppDb): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldestSeconds: number }>`
    select count(*)::int as waiting,
      coalesce(extract(epoch from now() - min(run_at)), 0)::float8 as "oldestSeconds"
    from app.posts p where written < version and not exists (
      select from app.installations where id = p.installation_id and suspended)`.execute(db);
  return rows[0] ?? { waiting: 0, oldestSeconds: 0 };
}
