import type { PgBoss } from 'pg-boss';

/**
 * Everything that we use of pg-boss's own tables and SQL beyond its documentation. With it, jobs
 * change in the same statement as the rows they belong to. `test/database/job-statements.test.ts`
 * fails if an upgrade changes any of it.
 */

/** The service's jobs. `name` is the queue, `priority` the track. */
export const JOBS = 'runlink_jobs.job';
/** The queue of runs. A job is one execution of a run; whoever holds the job holds the lease. */
export const RUN_QUEUE = 'runs';

/** Which jobs `w` of a queue are waiting, and the order in which they are taken. */
export const IS_WAITING = `w.name = '${RUN_QUEUE}' and w.state < 'active' and not w.blocked
  and w.start_after <= runlink_jobs.job_now()`;
export const IN_TURN = 'w.priority desc, w.created_on';

/**
 * pg-boss's fetch as part of a larger statement: the jobs in `chosen (id)`, which it has locked,
 * become `job`.
 */
export const TAKING_CHOSEN = `
  job as (
    update ${JOBS} j set state = 'active', started_on = runlink_jobs.job_now(),
      heartbeat_on = runlink_jobs.job_now(),
      retry_count = case when j.started_on is null then j.retry_count else j.retry_count + 1 end
    from chosen where j.name = '${RUN_QUEUE}' and j.id = chosen.id
    returning j.id, j.retry_count, j.priority as track, j.created_on, j.data)`;

/**
 * The same for several tracks at once, as parts of a larger statement. For rows `wanted (track,
 * seats)` the oldest waiting jobs of each track become `job` (`id`, `retry_count`, `track`,
 * `created_on`, `data`). They are chosen in a materialized part, which runs once; a plain join
 * would choose again for each row of the other side.
 */
export const TAKING_JOBS = `
  chosen as materialized (
    select next.id from wanted cross join lateral (
      select w.id from ${JOBS} w
      where ${IS_WAITING} and w.priority = wanted.track
      order by ${IN_TURN} limit wanted.seats for update of w skip locked) next),
  ${TAKING_CHOSEN}`;

/** Whether `j` is the job of run `r`, and whether it is still the claim that the run has stored. */
export const IS_JOB = `j.name = '${RUN_QUEUE}' and j.id = r.job_id`;
export const IS_HELD = `j.state = 'active' and j.retry_count = r.job_retry`;
/** When job `j` was claimed, and when it was last renewed. */
export const CLAIMED_ON = 'j.started_on';
export const RENEWED_ON = 'j.heartbeat_on';

/** pg-boss's complete, for held jobs `done (job)` whose rows are locked by the statement. */
export const COMPLETING_JOBS = `
  update ${JOBS} j set state = 'completed', completed_on = runlink_jobs.job_now()
  from done where j.name = '${RUN_QUEUE}' and j.id = done.job`;

/**
 * pg-boss's own statement to insert the jobs of new runs, with the jobs as its only parameter `$1`.
 * `insert` returns it here instead of executing it, so that it can be part of a larger one.
 */
export async function insertingJobs(
  queue: PgBoss,
  runs: readonly { id: string; job_id: string | null; track: number | null }[],
): Promise<{ text: string; payload: unknown }> {
  const jobs = runs.flatMap(({ id, job_id, track }) =>
    job_id === null || track === null ? [] : [{ id: job_id, data: { runId: id }, priority: track }],
  );
  const asked: { text: string; payload: unknown } = { text: '', payload: undefined };
  const executeSql = async (text: string, [payload]: unknown[] = []) => {
    Object.assign(asked, { text, payload });
    return { rows: [] };
  };
  await queue.insert(RUN_QUEUE, jobs, { db: { executeSql } });
  return asked;
}

/** Gives re-created jobs the place in the queue that their runs had. */
export const ORDERING_JOBS = `
  update ${JOBS} j set created_on = r.queued_at from runs r
  where ${IS_JOB} and r.state = 'QUEUED' and j.created_on > r.queued_at`;
