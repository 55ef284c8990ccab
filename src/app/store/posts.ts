import { hash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { Pace } from '../../commands/face.ts';
import type { Post, PostOf } from '../../github/write/post.ts';
import { NOW, ageSeconds, daysAgo, fromNow } from './database-time.ts';
import { rememberInstallation } from './installations.ts';
import { jsonText } from './json.ts';
import type { AppDb } from './tables.ts';

/** What GitHub should show, written through this installation. */
export type Wish = Post & {
  installationId: number;
  /**
   * A reply to somebody without permission: written after everything else, and dropped first
   * (threats.md G16).
   */
  isForStranger?: boolean;
  pace?: Pace | undefined;
};

type Stored<Kind extends Post['kind']> = PostOf<Kind> & { installationId: number };

const COLUMNS = [
  'posts.key',
  'posts.kind',
  'posts.installation_id as installationId',
  'posts.repository',
  'posts.number',
  'posts.target',
] as const;

/**
 * The reactions that must show a run's state: those still at 👀, and the one on the newest request.
 */
export async function reactionsOfRun(
  db: AppDb,
  runId: string,
): Promise<(Omit<Stored<'reaction'>, 'content'> & { isNewest: boolean })[]> {
  const ofRun = db.selectFrom('requests').where('requests.run_id', '=', runId);
  const newest = ofRun.select((it) => it.fn.max('created_at').as('newest'));
  return ofRun
    .innerJoin('posts', (on) => on.on('posts.key', '=', sql`'reaction:' || requests.id`))
    .where((it) =>
      it.or([
        it(sql`posts.content->>'content'`, '=', 'eyes'),
        it('requests.created_at', '=', newest),
      ]),
    )
    .select(COLUMNS)
    .select((it) => it('requests.created_at', '=', newest).as('isNewest'))
    .$castTo<Omit<Stored<'reaction'>, 'content'> & { isNewest: boolean }>()
    .execute();
}

/** The checks of a run that are not completed. */
export async function openChecks(db: AppDb, runId: string): Promise<Stored<'check'>[]> {
  return db
    .selectFrom('posts')
    .where('key', 'like', `check:${runId}:%`)
    .where(sql`content->>'status'`, '<>', 'completed')
    .select([...COLUMNS, 'content'])
    .$castTo<Stored<'check'>>()
    .execute();
}

/** A post that is not written yet, or not in its newest version. */
export type DuePost = Wish & {
  id: number;
  version: number;
  /** GitHub's id of the post once it exists. */
  remoteId: string | null;
  /**
   * When creating it was first tried. From then on it may exist, so it is looked for before it is
   * created.
   */
  triedAt: Date | null;
  attempts: number;
  /** Shows a state that will pass. */
  isPassing: boolean;
};

/**
 * Stores what GitHub should show. Changes nothing if it stands there already or if somebody deleted
 * it. A post with a pace waits for its turn, also after a failed try.
 */
export async function wish(db: AppDb, wanted: Wish): Promise<void> {
  const content = jsonText(wanted.content);
  const digest = hash('sha256', content, 'base64url');
  const { key, kind, installationId: installation_id, repository, number, pace } = wanted;
  const news = { content, digest, passing: pace !== undefined };
  await db
    .insertInto('posts')
    .values({
      ...news,
      key,
      kind,
      installation_id,
      repository,
      number,
      target: jsonText(wanted.target),
      for_stranger: wanted.isForStranger === true,
    })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          ...news,
          version: sql`posts.version + 1`,
          ...(pace ? { run_at: turnOf(pace) } : { run_at: NOW, attempts: 0, failure: null }),
        })
        .where('posts.digest', '<>', digest)
        .where('posts.gone', '=', false),
    )
    .execute();
  await rememberInstallation(db, installation_id);
}

/** When a changed post is due. One that failed, or was never written, keeps its time. */
function turnOf({ everyMs, afterMs }: Pace): RawBuilder<Date> {
  return sql`case when posts.failure is not null or posts.remote_id is null then posts.run_at
    else greatest(${fromNow(afterMs)},
      posts.edited_at + make_interval(secs => ${everyMs / 1000}::float8)) end`;
}

/** Replaces the text under a comment's marker; false if there is no such comment. */
export async function changeBody(db: AppDb, key: string, text: string): Promise<boolean> {
  const stands = await db
    .selectFrom('posts')
    .where('key', '=', key)
    .select(COLUMNS)
    .$castTo<Stored<'comment'>>()
    .executeTakeFirst();
  if (!stands) return false;
  await wish(db, { ...stands, content: { body: `${stands.target.marker}\n${text}` } });
  return true;
}

/**
 * The next due post of an installation. Order: strangers' replies last, new posts before changed
 * ones, then the oldest first.
 */
export async function nextPost(db: AppDb, installationId: number): Promise<DuePost | undefined> {
  return db
    .selectFrom('posts')
    .where('installation_id', '=', installationId)
    .where('run_at', '<=', NOW)
    .whereRef('written', '<', 'version')
    .select([...COLUMNS, 'id', 'content', 'version', 'attempts'])
    .select(['remote_id as remoteId', 'tried_at as triedAt'])
    .select(['for_stranger as isForStranger', 'passing as isPassing'])
    .orderBy('for_stranger')
    .orderBy(sql`passing and remote_id is not null`)
    .orderBy(sql`remote_id is not null`)
    .orderBy('id')
    .limit(1)
    .$castTo<DuePost>()
    .executeTakeFirst();
}

/** Records, before the first request, that this post may exist on GitHub from now on. */
export async function markTried(db: AppDb, id: number): Promise<void> {
  await db
    .updateTable('posts')
    .set({ tried_at: sql`coalesce(tried_at, now())` })
    .where('id', '=', id)
    .execute();
}

/**
 * Records what was written and returns GitHub's id of it. A reaction gets a new id with each
 * change; any other post keeps its first.
 */
export async function markWritten(
  db: AppDb,
  post: Pick<DuePost, 'id' | 'version' | 'kind'>,
  remoteId: string,
): Promise<string> {
  const first = sql<string>`coalesce(remote_id, ${remoteId})`;
  const written = await db
    .updateTable('posts')
    .set({
      remote_id: post.kind === 'reaction' ? remoteId : first,
      edited_at: sql`case when remote_id is not null then now() end`,
      written: post.version,
      attempts: 0,
      failure: null,
    })
    .where('id', '=', post.id)
    .returning('remote_id')
    .executeTakeFirst();
  return written?.remote_id ?? remoteId;
}

/** After GitHub refused a post for good, its passing states are not tried for this long. */
const ABANDONED_MS = 600_000;

/** Gives a post up, because GitHub will never take it (deleted thread, locked conversation). */
export async function abandonPost(
  db: AppDb,
  post: Pick<DuePost, 'id' | 'version' | 'repository'>,
  { failure, isGone = false }: { failure: string; isGone?: boolean },
): Promise<void> {
  const { version } = post;
  await db
    .updateTable('posts')
    .set({
      written: version,
      failure,
      gone: isGone,
      run_at: sql`case when version > ${version} and not passing then now()
        else ${fromNow(ABANDONED_MS)} end`,
    })
    .where('id', '=', post.id)
    // Its thread may have moved to another repository meanwhile.
    .where('repository', '=', post.repository)
    .execute();
}

const ONCE_MORE = { version: sql<number>`version + 1`, attempts: 0, run_at: NOW };

/** Tries again what GitHub refused within the last `days`. */
export async function retryAbandoned(
  db: AppDb,
  installationId: number,
  days: number,
): Promise<void> {
  await db
    .updateTable('posts')
    .set({ ...ONCE_MORE, failure: null, gone: false })
    .where('installation_id', '=', installationId)
    .where('failure', 'is not', null)
    .where('for_stranger', '=', false)
    .where('created_at', '>', daysAgo(days))
    .execute();
}

export async function postponePost(
  db: AppDb,
  id: number,
  delayMs: number,
  failure: string,
): Promise<void> {
  await db
    .updateTable('posts')
    .set((it) => ({ attempts: it('attempts', '+', 1), failure, run_at: fromNow(delayMs) }))
    .where('id', '=', id)
    .execute();
}

/** Writes the checks of a run once more, unchanged. */
export async function writeChecksAgain(db: AppDb, runId: string): Promise<void> {
  await db
    .updateTable('posts')
    .set(ONCE_MORE)
    .where('kind', '=', 'check')
    .where('key', 'like', `check:${runId}:%`)
    .execute();
}

export async function outboxDepth(db: AppDb): Promise<{ waiting: number; oldestSeconds: number }> {
  const suspended = db.selectFrom('installations').where('suspended', '=', true).select('id');
  return db
    .selectFrom('posts')
    .whereRef('written', '<', 'version')
    .where('installation_id', 'not in', suspended)
    .select((it) => [it.fn.countAll<number>().as('waiting'), ageSeconds('run_at')])
    .executeTakeFirstOrThrow();
}
