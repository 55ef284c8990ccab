import { sql, type Selection, type Simplify } from 'kysely';
import { isTerminal, type RunRead } from '../../contract/run.ts';
import type { Progress } from '../../github/render/progress.ts';
import { jsonText } from './json.ts';
import type { AppDb, AppTables } from './tables.ts';

export const STORED_RUN = [
  'run_id as runId',
  'request_id as requestId',
  'installation_id as installationId',
  'repository',
  'number',
  'actor',
  'state',
  'live',
  'run',
  'head_sha as headSha',
  'missing_since as missingSince',
  'final_message as finalMessage',
  'review_artifact as reviewArtifact',
  'review_fault as reviewFault',
  'created_at as createdAt',
  'progress',
] as const;

/** A run that this App started or steers, in the last state that was read of it. */
export type StoredRun = Simplify<Selection<AppTables, 'runs', (typeof STORED_RUN)[number]>>;

export type NewStoredRun = Pick<
  StoredRun,
  'runId' | 'requestId' | 'installationId' | 'repository' | 'number' | 'actor' | 'run' | 'headSha'
>;

export async function storeRun(db: AppDb, stored: NewStoredRun): Promise<void> {
  const { runId, requestId, installationId, headSha, run, ...place } = stored;
  await db
    .insertInto('runs')
    .values({
      ...place,
      run_id: runId,
      request_id: requestId,
      installation_id: installationId,
      state: run.state,
      live: !isTerminal(run.state),
      run: jsonText(run),
      head_sha: headSha,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findStoredRun(db: AppDb, runId: string): Promise<StoredRun | undefined> {
  return db.selectFrom('runs').where('run_id', '=', runId).select(STORED_RUN).executeTakeFirst();
}

/**
 * The repository that a run belongs to, under its current name; the run's own metadata names it if
 * we do not know the run.
 */
export async function repositoryOfRun(
  db: AppDb,
  run: Pick<RunRead, 'run_id' | 'metadata'>,
): Promise<string | undefined> {
  return (await findStoredRun(db, run.run_id))?.repository ?? run.metadata?.['runlink.repository'];
}

/** Like `findStoredRun`, and locks the row until the transaction ends. */
export async function lockStoredRun(db: AppDb, runId: string): Promise<StoredRun | undefined> {
  const found = db.selectFrom('runs').where('run_id', '=', runId).select(STORED_RUN);
  return found.forUpdate().executeTakeFirst();
}

/** Marks runs whose posts on GitHub may be out of date. */
export async function markStale(db: AppDb, runIds: readonly string[]): Promise<void> {
  await db
    .updateTable('runs')
    .set({ stale: true })
    .where('run_id', '=', sql<string>`any(${runIds})`)
    .execute();
}

/** Marks a run's posts as up to date, unless the run changed since `shown` was read. */
export async function markPublished(db: AppDb, runId: string, shown: RunRead): Promise<void> {
  await db
    .updateTable('runs')
    .set({ stale: false })
    .where('run_id', '=', runId)
    .where('stale', '=', true)
    .where('run', '=', sql<RunRead>`${jsonText(shown)}`)
    .execute();
}

export async function staleRuns(db: AppDb, limit: number): Promise<StoredRun[]> {
  return db.selectFrom('runs').where('stale', '=', true).select(STORED_RUN).limit(limit).execute();
}

export async function storeFinalMessage(db: AppDb, runId: string, text: string): Promise<void> {
  await db.updateTable('runs').set({ final_message: text }).where('run_id', '=', runId).execute();
}

/**
 * The longer a run works, the less often its progress is read: the pause is its age divided by
 * this.
 */
const AGE_PER_PAUSE = 30;
const PAUSE_MAX_SECONDS = 60;

/**
 * Takes up to `limit` working runs whose progress was not read for this long, the longest first.
 */
export async function runsToLookAt(db: AppDb, limit: number, everyMs: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update runs set looked_at = now() where run_id in (
      select run_id from runs
      where live and state not in ('QUEUED', 'PENDING') and missing_since is null
        and coalesce(looked_at, created_at) < now() - greatest(
          make_interval(secs => ${everyMs / 1000}::float8),
          least(make_interval(secs => ${PAUSE_MAX_SECONDS}), (now() - created_at) / ${AGE_PER_PAUSE}))
      order by looked_at nulls first limit ${limit})
    returning run_id as id`.execute(db);
  return rows.map((row) => row.id);
}

export async function storeProgress(db: AppDb, runId: string, progress: Progress): Promise<void> {
  await db
    .updateTable('runs')
    .set({ progress: jsonText(progress) })
    .where('run_id', '=', runId)
    .where('live', '=', true)
    .execute();
}

/** Stores the outcome of a run's review. */
export async function storeReview(
  db: AppDb,
  runId: string,
  { artifact, fault }: { artifact: string; fault: string | null },
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ review_artifact: artifact, review_fault: fault })
    .where('run_id', '=', runId)
    .execute();
}

/** Notes on a run's reports that this review was refused, or removes that note. */
export async function storeReviewFault(
  db: AppDb,
  key: string,
  fault: string | null,
): Promise<void> {
  const [, runId = '', artifact = ''] = key.split(':');
  await db
    .updateTable('runs')
    .set({ review_fault: fault, stale: true })
    .where('run_id', '=', runId)
    .where('review_artifact', '=', artifact)
    .where('review_fault', 'is distinct from', fault)
    .execute();
}

/**
 * Stores runs as the service lists them; returns the ids of those that changed. Skips runs that are
 * not ours and states that are not newer.
 */
export async function updateRuns(db: AppDb, runs: readonly RunRead[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update runs r
    set state = n.run->>'state', live = n.live, run = n.run, seen_at = now(), missing_since = null,
      stale = true, final_message = case when n.live then null else r.final_message end,
      progress = case when n.live then r.progress end
    from unnest(${runs.map((run) => jsonText(run))}::jsonb[],
      ${runs.map((run) => !isTerminal(run.state))}::boolean[]) as n(run, live)
    where r.run_id = n.run->>'run_id'
      and (r.missing_since is not null or r.run <> n.run)
      and (r.run->>'updated_at' is null or n.run->>'updated_at' is null
        or (n.run->>'updated_at')::timestamptz >= (r.run->>'updated_at')::timestamptz)
    returning r.run_id as id`.execute(db);
  return rows.map((row) => row.id);
}

/** Marks a run as unknown to the service; returns since when it has been. */
export async function markMissing(db: AppDb, runId: string): Promise<Date> {
  const marked = await db
    .updateTable('runs')
    .set({ missing_since: sql`coalesce(missing_since, now())` })
    .where('run_id', '=', runId)
    .returning('missing_since')
    .executeTakeFirst();
  return marked?.missing_since ?? new Date();
}

/** Stops watching a run that stayed unknown; its checks no longer wait for it. */
export async function giveUpRun(db: AppDb, runId: string): Promise<void> {
  await db.updateTable('runs').set({ live: false }).where('run_id', '=', runId).execute();
}

export async function liveRunIds(db: AppDb): Promise<string[]> {
  const rows = await db.selectFrom('runs').where('live', '=', true).select('run_id').execute();
  return rows.map((row) => row.run_id);
}

/** Counts the runs that work, by state. Counting every run ever made would get slower each day. */
export async function runsByState(db: AppDb): Promise<{ state: string; count: number }[]> {
  return db
    .selectFrom('runs')
    .where('live', '=', true)
    .groupBy('state')
    .select((it) => ['state', it.fn.countAll<number>().as('count')])
    .execute();
}

/** A pull request got a new head: updates the runs that work on it and returns their ids. */
export async function moveHead(
  db: AppDb,
  repository: string,
  number: number,
  headSha: string,
): Promise<string[]> {
  const rows = await db
    .updateTable('runs')
    .set({ head_sha: headSha, stale: true })
    .where('repository', '=', repository)
    .where('number', '=', number)
    .where('live', '=', true)
    .where('head_sha', '<>', headSha)
    .returning('run_id')
    .execute();
  return rows.map((row) => row.run_id);
}

/** The newest run whose check stands on a commit. */
export async function runOfCommit(
  db: AppDb,
  repository: string,
  sha: string,
): Promise<StoredRun | undefined> {
  return db
    .selectFrom('runs')
    .where('run_id', 'in', (it) =>
      it
        .selectFrom('posts')
        .where('kind', '=', 'check')
        .where('repository', '=', repository)
        .where(sql`target->>'headSha'`, '=', sha)
        .select(sql<string>`target->>'externalId'`.as('run_id')),
    )
    .select(STORED_RUN)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}
