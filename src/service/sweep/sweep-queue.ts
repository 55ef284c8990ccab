import { sql } from 'kysely';
import { parseDurationMs } from '../../base/time.ts';
import type { StatusMessage } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { findRunById } from '../runs/find-run.ts';
import { changeRuns } from '../runs/life/change-runs.ts';
import { lockRun, type LockedRun } from '../runs/life/lock-run.ts';
import { cancelJob } from '../runs/life/run-queue.ts';
import { MOMENT } from '../runs/log/append.ts';
import { transition } from '../runs/life/transition.ts';
import { whyWaiting } from '../workers/why-waiting.ts';

const BATCH = 100;

/**
 * Fails runs that waited longer than the operator allows, and says why they waited
 * (run-lifecycle.md, "Leases").
 */
export async function sweepQueue(context: ServiceContext): Promise<void> {
  if (context.held.now) return;
  const limit = context.config.limits.queue_age;
  const waiting = await context.db
    .selectFrom('runs')
    .where('state', '=', sql<'QUEUED'>`'QUEUED'`)
    .where('queued_at', '<', sql<Date>`now() - ${parseDurationMs(limit)} * interval '1 ms'`)
    .select(['id', 'job_id'])
    .limit(BATCH)
    .execute();
  for (const { id, job_id: jobId } of waiting) {
    await changeRuns(context, async (trx) => {
      if (jobId !== null) await cancelJob(context, trx, jobId);
      const run = await lockRun(trx, id);
      if (run?.state !== 'QUEUED' || run.job_id !== jobId) return;
      const why = await whyWaiting({ ...context, db: trx }, await findRunById(trx, id));
      await transition(trx, run, 'refuse', {
        set: {
          finished_at: MOMENT,
          status_message: JSON.stringify(waitedTooLong(run, limit, why?.message ?? '')),
        },
      });
    });
  }
}

function waitedTooLong(run: LockedRun, limit: string, why: string): StatusMessage {
  if (run.execution_location === 'LOCAL')
    return {
      message: `The end of the run was not reported within ${limit} by whoever executes it.`,
      error_code: 'infrastructure_timeout',
      retryable: true,
    };
  const who = run.worker_host === null ? 'No worker' : `No worker of host "${run.worker_host}"`;
  return {
    message: `${who} took the run within ${limit}. ${why} Start a worker, then start the run again.`,
    error_code: 'resource_unavailable',
    retryable: true,
  };
}
