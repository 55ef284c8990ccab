import { sql } from 'kysely';
import { parseDurationMs } from '../../base/time.ts';
import { ACKNOWLEDGE_WITHIN_SECONDS, LEASE_SECONDS } from '../../contract/lease.ts';
import type { StatusMessage } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { endRunKeys } from '../keys/run-keys.ts';
import { pendingSignals } from '../leases/followups.ts';
import { requeue } from '../leases/release.ts';
import { count, type ExpiryReason } from '../metrics/tally.ts';
import { changeRuns } from '../runs/life/change-runs.ts';
import { lockRun, type LockedRun } from '../runs/life/lock-run.ts';
import { reopen } from '../runs/life/reopen.ts';
import { CLAIMED_ON, IS_HELD, IS_JOB, JOBS, RENEWED_ON } from '../../database/job-statements.ts';
import { completeJob } from '../runs/life/run-queue.ts';
import { MOMENT } from '../runs/log/append.ts';
import { transition } from '../runs/life/transition.ts';

const BATCH = 100;

interface Lapsed {
  id: string;
  reason: ExpiryReason;
}

const ENDINGS: Record<Exclude<ExpiryReason, 'unacknowledged'>, StatusMessage> = {
  lost: {
    message: 'The worker that executed the run was lost.',
    error_code: 'internal_error',
    retryable: true,
  },
  overdue: {
    message: 'The run exceeded its time limit.',
    error_code: 'infrastructure_timeout',
    retryable: false,
  },
};

/**
 * Ends a run whose worker began but will not end it, in the caller's transaction, which has locked
 * it.
 */
export async function lose(
  context: ServiceContext,
  trx: Parameters<typeof lockRun>[0],
  run: LockedRun,
  status: StatusMessage,
): Promise<void> {
  await endRunKeys(trx, run.id);
  await transition(trx, run, 'lose', {
    set: {
      ended_attempt: run.attempt,
      lease_hash: null,
      finished_at: MOMENT,
      status_message: JSON.stringify(status),
    },
    payload: { reason: status.message },
    announce: [`signal:${run.id}`],
  });
  const unseen = await pendingSignals(trx, run.id, 0);
  if (unseen.length > 0) await reopen(context, trx, { ...run, state: 'ERROR' });
}

/** Takes all lapsed leases back, once. */
export async function sweepLeases(context: ServiceContext): Promise<void> {
  for (const lapsed of await findLapsed(context)) await takeBack(context, lapsed);
}

/** Finds claimed runs whose worker is silent or whose time is up. */
async function findLapsed({ database, config }: ServiceContext): Promise<Lapsed[]> {
  const runTimeMs = parseDurationMs(config.limits.run_time);
  const { rows } = await database.pool.query<Lapsed>(
    `select r.id, case
       when r.state = 'PENDING' then 'unacknowledged'
       when r.started_at < now() - $2 * interval '1 ms' then 'overdue'
       else 'lost' end as reason
     from runs r left join ${JOBS} j on ${IS_JOB} and ${IS_HELD}
     where r.state in ('PENDING', 'INPROGRESS') and (
       j.id is null
       or ${RENEWED_ON} < now() - $1 * interval '1 s'
       or (r.state = 'PENDING' and ${CLAIMED_ON} < now() - $3 * interval '1 s')
       or (r.state = 'INPROGRESS' and r.started_at < now() - $2 * interval '1 ms'))
     limit ${BATCH}`,
    [LEASE_SECONDS, runTimeMs, ACKNOWLEDGE_WITHIN_SECONDS],
  );
  return rows;
}

/** Locks the job's row; whether the worker is still silent. */
async function isStillLapsed(
  trx: Parameters<typeof lockRun>[0],
  run: Pick<LockedRun, 'job_id' | 'job_retry'>,
  reason: ExpiryReason,
): Promise<boolean> {
  const [since, limit] =
    reason === 'unacknowledged'
      ? [CLAIMED_ON, ACKNOWLEDGE_WITHIN_SECONDS]
      : [RENEWED_ON, LEASE_SECONDS];
  const { rows } = await sql<{ held: boolean }>`
    select ${sql.raw(`${IS_HELD} and ${since}`)} >= now() - ${limit} * interval '1 s' as held
    from ${sql.raw(JOBS)} j, (select ${run.job_id}::uuid as job_id, ${run.job_retry}::int as job_retry) r
    where ${sql.raw(IS_JOB)} for update of j`.execute(trx);
  return reason === 'overdue' || !rows[0]?.held;
}

/**
 * Takes a run from its worker: it goes back to QUEUED if the agent had not started, otherwise to
 * ERROR (run-lifecycle.md, "Leases").
 */
async function takeBack(context: ServiceContext, { id, reason }: Lapsed): Promise<void> {
  const isTaken = await changeRuns(context, async (trx) => {
    const seen = await trx
      .selectFrom('runs')
      .where('id', '=', id)
      .select(['job_id', 'job_retry', 'attempt'])
      .executeTakeFirst();
    if (!seen?.job_id || !(await isStillLapsed(trx, seen, reason))) return false;
    const run = await lockRun(trx, id);
    if (run?.attempt !== seen.attempt) return false;
    const job = { id: seen.job_id, retryCount: seen.job_retry };
    if (run.state === 'PENDING') {
      await requeue(context, trx, run, job, 'The worker did not begin.');
    } else if (run.state === 'INPROGRESS' && reason !== 'unacknowledged') {
      await completeJob(context, trx, job);
      await lose(context, trx, run, ENDINGS[reason]);
    } else return false;
    return true;
  });
  if (isTaken) count(context.tally.expired, reason);
}
