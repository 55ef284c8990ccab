import { sql } from 'kysely';
import { IS_JOB, JOBS, ORDERING_JOBS, RUN_QUEUE } from '../../database/job-statements.ts';
import type { ServiceContext } from '../context.ts';
import { requeue } from '../leases/release.ts';
import { changeRuns } from '../runs/life/change-runs.ts';
import { lockRun } from '../runs/life/lock-run.ts';
import { queuePlaceOf } from '../runs/life/run-queue.ts';
import { sendJudges } from '../scores/dispatch-judges.ts';
import { lose } from '../sweep/sweep-leases.ts';

const BATCH = 500;

/** What happened to the runs that were under way when the backup was made. */
export interface Settled {
  lost: number;
  queued: number;
}

/**
 * Brings restored runs into a consistent state: all leases end, runs that a worker had begun end in
 * ERROR, the others wait again in their old order. Safe to repeat after a crash.
 */
export async function settleRestored(
  context: ServiceContext,
  takenAt: Date,
  judges: readonly unknown[],
): Promise<Settled> {
  const lost = await voidLeases(context, takenAt);
  const queued = await makeJobs(context);
  for (const data of judges) await sendJudges(context, data);
  return { lost, queued };
}

async function voidLeases(context: ServiceContext, takenAt: Date): Promise<number> {
  const held = await context.db
    .selectFrom('runs')
    .where('state', 'in', ['PENDING', 'INPROGRESS'])
    .where('job_id', 'is not', null)
    .select(['id', 'state'])
    .execute();
  for (const { id } of held) {
    await changeRuns(context, async (trx) => {
      const run = await lockRun(trx, id);
      if (!run?.job_id) return;
      const job = { id: run.job_id, retryCount: run.job_retry };
      if (run.state === 'PENDING') await requeue(context, trx, run, job, 'It was restored.');
      else await lose(context, trx, run, restored(takenAt));
    });
  }
  return held.filter(({ state }) => state === 'INPROGRESS').length;
}

function restored(takenAt: Date) {
  return {
    message: `The service was restored from a backup of ${takenAt.toISOString()}, when the run was under way. What it did after that is unknown.`,
    error_code: 'internal_error' as const,
    retryable: true,
  };
}

/** Makes a job for each waiting run that has none, in the order in which they were queued. */
async function makeJobs(context: ServiceContext): Promise<number> {
  const { db, database } = context;
  let made = 0;
  for (;;) {
    const waiting = await db
      .selectFrom('runs as r')
      .where('r.state', '=', 'QUEUED')
      .where('r.job_id', 'is not', null)
      .where(sql<boolean>`not exists (select from ${sql.raw(JOBS)} j where ${sql.raw(IS_JOB)})`)
      .select(['r.id', 'r.job_id', 'r.team_id', 'r.config'])
      .orderBy('r.queued_at')
      .limit(BATCH)
      .execute();
    if (waiting.length === 0) break;
    const jobs = [];
    for (const { id, job_id, team_id, config } of waiting) {
      const { track } = await queuePlaceOf(context, team_id, config);
      jobs.push({ id: job_id ?? id, data: { runId: id }, priority: track });
    }
    await database.queue.insert(RUN_QUEUE, jobs);
    made += jobs.length;
  }
  await database.pool.query(ORDERING_JOBS);
  await db.updateTable('runs').where('state', '=', 'QUEUED').set({ job_retry: 0 }).execute();
  return made;
}
