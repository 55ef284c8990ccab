import { sql } from 'kysely';
import type { Decided, Tell } from '../../commands/face.ts';
import type { CreateRunRequest } from '../../contract/run.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { jsonText } from './json.ts';
import type { AppDb } from './tables.ts';

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
  /** What is sent to the service; never changes once it was tried. */
  decided: Decided | undefined;
  runId: string | null;
  /** What became of it, once it is done with. */
  outcome: Reason | null;
}

/** Remembers a request, or answers what is known of it. */
export async function rememberRequest(db: AppDb, request: NewRequest): Promise<StoredRequest> {
  const { installationId: installation_id, ...asked } = request;
  await db
    .insertInto('app.requests')
    .values({ ...asked, installation_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { rows } = await sql<{ body: Body | null; runId: string | null; outcome: Reason | null }>`
    select body, run_id as "runId", outcome from app.requests where id = ${request.id}`.execute(db);
  const { body = null, runId = null, outcome = null } = rows[0] ?? {};
  return { runId, outcome, decided: body === null ? undefined : fromBody(body) };
}

/**
 * Fixes what will be sent and remembers, before it is sent, that it may have been. Answers what was
 * fixed by an earlier try, if there was one, and since when that may have been sent.
 */
export async function decideRequest(
  db: AppDb,
  id: string,
  decided: Decided,
): Promise<{ decided: Decided; tried: false | Date }> {
  const { rows } = await sql<{ body: Body; createdAt: Date; isFirst: boolean }>`
    update app.requests
    set body = coalesce(body, ${jsonText(toBody(decided))}::jsonb), tried_at = coalesce(tried_at, now())
    where id = ${id}
    returning body, created_at as "createdAt", tried_at = now() as "isFirst"`.execute(db);
  const [row] = rows;
  if (!row || row.isFirst) return { decided, tried: false };
  return { decided: fromBody(row.body) ?? decided, tried: row.createdAt };
}

/** What is stored of a decision: the body of the new run, or what a run is told. */
type Body = CreateRunRequest | ({ run_id: string } & Omit<Tell, 'runId'>);

function toBody(decided: Decided): Body {
  if ('start' in decided) return decided.start;
  const { runId: run_id, ...rest } = decided.tell;
  return { run_id, ...rest };
}

/** Undefined for what an older version stored without saying which run it was meant for. */
function fromBody(body: Body): Decided | undefined {
  if ('run_id' in body) {
    const { run_id: runId, ...rest } = body;
    return { tell: { runId, ...rest } };
  }
  return 'message' in body ? undefined : { start: body };
}

/** Says what became of a request. Its images are the service's from now on. */
export async function settleRequest(
  db: AppDb,
  id: string,
  outcome: Reason,
  runId: string | null = null,
): Promise<void> {
  await sql`
    update app.requests
    set outcome = ${outcome}, run_id = coalesce(${runId}, run_id), body = body - 'attachments'
    where id = ${id}`.execute(db);
}

/** Requests of a thread, or the one of a button, that have no outcome yet. */
export async function openRequests(
  db: AppDb,
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
  db: AppDb,
  runId: string,
): Promise<CreateRunRequest | undefined> {
  const { rows } = await sql<{ body: CreateRunRequest }>`
    select r.body from app.requests r join app.runs u on u.request_id = r.id
    where u.run_id = ${runId} and r.body is not null`.execute(db);
  return rows[0]?.body;
}

/** How many runs were started on a thread, and on its repository within the last 24 hours. */
export async function countStarted(
  db: AppDb,
  repository: string,
  number: number,
): Promise<{ onThread: number; today: number }> {
  const { rows } = await sql<{ onThread: number; today: number }>`
    select count(*) filter (where number = ${number})::int as "onThread",
      count(*) filter (where created_at > now() - interval '24 hours')::int as today
    from app.runs where repository = ${repository}`.execute(db);
  return rows[0] ?? { onThread: 0, today: 0 };
}

/** How many requests of failing checks a thread has had since anything else was asked for there. */
export async function repairsInARow(
  db: AppDb,
  repository: string,
  number: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from app.requests
    where repository = ${repository} and number = ${number} and id like 'checks:%'
      and created_at > coalesce((
        select max(created_at) from app.requests
        where repository = ${repository} and number = ${number} and id not like 'checks:%'),
        '-infinity')`.execute(db);
  return rows[0]?.count ?? 0;
}
