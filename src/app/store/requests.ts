import { sql } from 'kysely';
import type { Decided } from '../../commands/face.ts';
import type { CreateRunRequest } from '../../contract/run.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { daysAgo } from './database-time.ts';
import { jsonText } from './json.ts';
import type { AppDb, RequestBody } from './tables.ts';

/**
 * What somebody asked for, identified by its request id (run-lifecycle.md, "One request, one run").
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
  /** What is sent to the service; fixed once it may have been sent. */
  decided: Decided | undefined;
  runId: string | null;
  /** Its outcome, once it has one. */
  outcome: Reason | null;
}

/** Stores a request, or returns the one stored before. */
export async function rememberRequest(db: AppDb, request: NewRequest): Promise<StoredRequest> {
  const { installationId: installation_id, ...asked } = request;
  await db
    .insertInto('requests')
    .values({ ...asked, installation_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { body, runId, outcome } = await db
    .selectFrom('requests')
    .where('id', '=', request.id)
    .select(['body', 'run_id as runId', 'outcome'])
    .executeTakeFirstOrThrow();
  return { runId, outcome, decided: body === null ? undefined : fromBody(body) };
}

/**
 * Fixes what will be sent, and records that it may have been, before sending it. Returns what an
 * earlier try fixed, if there was one, and since when that may have been sent.
 */
export async function decideRequest(
  db: AppDb,
  id: string,
  decided: Decided,
): Promise<{ decided: Decided; tried: false | Date }> {
  const body = jsonText(toBody(decided));
  const row = await db
    .updateTable('requests')
    .set({ body: sql`coalesce(body, ${body})`, tried_at: sql`coalesce(tried_at, now())` })
    .where('id', '=', id)
    .returning(['body', 'created_at', sql<boolean>`tried_at = now()`.as('isFirst')])
    .executeTakeFirst();
  if (!row?.body || row.isFirst) return { decided, tried: false };
  return { decided: fromBody(row.body) ?? decided, tried: row.created_at };
}

function toBody(decided: Decided): RequestBody {
  if ('start' in decided) return decided.start;
  const { runId: run_id, ...rest } = decided.tell;
  return { run_id, ...rest };
}

/** Undefined for rows of an older version, which do not say which run they were meant for. */
function fromBody(body: RequestBody): Decided | undefined {
  if ('run_id' in body) {
    const { run_id: runId, ...rest } = body;
    return { tell: { runId, ...rest } };
  }
  return 'message' in body ? undefined : { start: body };
}

/** Stores the outcome of a request, and drops its images, which the service has now. */
export async function settleRequest(
  db: AppDb,
  id: string,
  outcome: Reason,
  runId: string | null = null,
): Promise<void> {
  await db
    .updateTable('requests')
    .set({
      outcome,
      run_id: sql`coalesce(${runId}, run_id)`,
      body: sql`body - 'attachments'`,
    })
    .where('id', '=', id)
    .execute();
}

/** Requests of a thread, or of one button, that have no outcome yet. */
export async function openRequests(
  db: AppDb,
  place: { repository: string; number: number | undefined; button: string },
): Promise<{ id: string; number: number }[]> {
  const { repository, number, button } = place;
  return db
    .selectFrom('requests')
    .where('outcome', 'is', null)
    .where((it) => {
      const onThread = it.and({ repository, ...(number !== undefined && { number }) });
      return number === undefined
        ? it('id', '=', button)
        : it.or([it('id', '=', button), onThread]);
    })
    .select(['id', 'number'])
    .orderBy('created_at')
    .execute();
}

/** The request that started this run. */
export async function requestOfRun(
  db: AppDb,
  runId: string,
): Promise<CreateRunRequest | undefined> {
  const { body } =
    (await db
      .selectFrom('requests as r')
      .innerJoin('runs as u', 'u.request_id', 'r.id')
      .where('u.run_id', '=', runId)
      .select('r.body')
      .executeTakeFirst()) ?? {};
  const decided = body ? fromBody(body) : undefined;
  return decided && 'start' in decided ? decided.start : undefined;
}

/** How many runs were started on a thread, and in its repository within the last 24 hours. */
export async function countStarted(
  db: AppDb,
  repository: string,
  number: number,
): Promise<{ onThread: number; today: number }> {
  return db
    .selectFrom('runs')
    .where('repository', '=', repository)
    .select((it) => [
      it.fn.countAll<number>().filterWhere('number', '=', number).as('onThread'),
      it.fn.countAll<number>().filterWhere('created_at', '>', daysAgo(1)).as('today'),
    ])
    .executeTakeFirstOrThrow();
}

/** How many requests in a row on this thread came from failing checks. */
export async function repairsInARow(
  db: AppDb,
  repository: string,
  number: number,
): Promise<number> {
  const onThread = db
    .selectFrom('requests')
    .where('repository', '=', repository)
    .where('number', '=', number);
  const { count } = await onThread
    .where('id', 'like', 'checks:%')
    .where(
      'created_at',
      '>',
      onThread
        .where('id', 'not like', 'checks:%')
        .select(sql<Date>`coalesce(max(created_at), '-infinity')`.as('last')),
    )
    .select((it) => it.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
