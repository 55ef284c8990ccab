import { sql, type Kysely } from 'kysely';
import type { CreateRunRequest } from '../../contract/run.ts';
import { jsonText } from './json.ts';

/**
 * What somebody asked for, told apart by its request id (run-lifecycle.md, "One request, one run").
 */
export interface NewRequest {
  id: string;
  installationId: number;
  repository: string;
  number: number;
  actor: string;
  /** Verb, or name of the repository's own command. */
  command: string;
}

export interface StoredRequest {
  id: string;
  /** What is sent to the service to start a run; never changes once it was tried. */
  body: CreateRunRequest | null;
  triedAt: Date | null;
  runId: string | null;
  /** Reason code once it is done with. */
  outcome: string | null;
  createdAt: Date;
}

/** Remembers a request, or answers what is known of it. */
export async function rememberRequest(
  db: Kysely<unknown>,
  request: NewRequest,
): Promise<StoredRequest> {
  await sql`
    insert into app.requests (id, installation_id, repository, number, actor, command)
    values (${request.id}, ${request.installationId}, ${request.repository}, ${request.number},
      ${request.actor}, ${request.command})
    on conflict do nothing`.execute(db);
  const { rows } = await sql<StoredRequest>`
    select id, body, tried_at as "triedAt", run_id as "runId", outcome, created_at as "createdAt"
    from app.requests where id = ${request.id}`.execute(db);
  const [stored] = rows;
  return (
    stored ?? {
      id: request.id,
      body: null,
      triedAt: null,
      runId: null,
      outcome: null,
      createdAt: new Date(),
    }
  );
}

/**
 * Fixes what will be sent and remembers, before it is sent, that it may have been. Answers what was
 * fixed by an earlier try, if there was one.
 */
export async function freezeRequest<T>(db: Kysely<unknown>, id: string, body: T): Promise<T> {
  const { rows } = await sql<{ body: T }>`
    update app.requests
    set body = coalesce(body, ${jsonText(body)}::jsonb), tried_at = coalesce(tried_at, now())
    where id = ${id} returning body`.execute(db);
  return rows[0]?.body ?? body;
}

export async function settleRequest(
  db: Kysely<unknown>,
  id: string,
  outcome: string,
  runId: string | null = null,
): Promise<void> {
  await sql`
    update app.requests set outcome = ${outcome}, run_id = coalesce(${runId}, run_id)
    where id = ${id}`.execute(db);
}

/** Requests of a thread, or the one of a button, that have no outcome yet. */
export async function openRequests(
  db: Kysely<unknown>,
  place: { repository: string; number: number | undefined; button: string },
): Promise<{ id: string; number: number }[]> {
  const { rows } = await sql<{ id: string; number: number }>`
    select id, number from app.requests
    where outcome is null and (id = ${place.button}
      or (repository = ${place.repository} and number = ${place.number ?? null}))
    order by created_at`.execute(db);
  return rows;
}

/** What was sent to start this run. */
export async function requestOfRun(
  db: Kysely<unknown>,
  runId: string,
): Promise<CreateRunRequest | undefined> {
  const { rows } = await sql<{ body: CreateRunRequest }>`
    select r.body from app.requests r join app.runs u on u.request_id = r.id
    where u.run_id = ${runId} and r.body is not null`.execute(db);
  return rows[0]?.body;
}

/** How many runs were started on a thread, and on its repository within the last 24 hours. */
export async function countStarted(
  db: Kysely<unknown>,
  repository: string,
  number: number,
): Promise<{ onThread: number; today: number }> {
  const { rows } = await sql<{ onThread: number; today: number }>`
    select count(*) filter (where number = ${number})::int as "onThread",
      count(*) filter (where created_at > now() - interval '24 hours')::int as today
    from app.runs where repository = ${repository}`.execute(db);
  return rows[0] ?? { onThread: 0, today: 0 };
}
