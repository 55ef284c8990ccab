import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { errorMessage } from '../../base/error.ts';
import type { ServiceContext } from '../context.ts';
import { JOBS_PER_LOOK, eachJob } from '../each-job.ts';
import { fireSchedule } from './fire-schedule.ts';
import { SCHEDULE_QUEUE, firingJob } from './schedule-queue.ts';

/**
 * How often due jobs are polled; pg-boss does not announce when a delayed job becomes due
 * (decisions.md D2).
 */
const POLL_SECONDS = 1;
/**
 * The next look does not wait longer than this for a firing, which may wait for a repository to be
 * read.
 */
const LOOK_ON_AFTER_MS = 1000;
const BATCH = 50;

/** Fires schedules when their jobs are due; returns a function that stops it. */
export async function runSchedules(context: ServiceContext): Promise<() => Promise<void>> {
  const { queue } = context.database;
  const look = { pollingIntervalSeconds: POLL_SECONDS, batchSize: JOBS_PER_LOOK };
  const underWay = new Set<Promise<void>>();
  await queue.work(SCHEDULE_QUEUE, look, (jobs) =>
    eachJob(jobs, async ({ data }) => {
      const { scheduleId, fireAt } = firingJob.parse(data);
      const firing = fire(context, scheduleId, new Date(fireAt)).finally(() =>
        underWay.delete(firing),
      );
      underWay.add(firing);
      // If it fails after this time, the sweep finds it still due.
      await Promise.race([firing, setTimeout(LOOK_ON_AFTER_MS, undefined, { ref: false })]);
    }),
  );
  return async () => {
    await queue.offWork(SCHEDULE_QUEUE);
    await Promise.allSettled(underWay);
  };
}

/**
 * Fires schedules that are overdue because their job was lost or failed too often. One failure does
 * not hold up the others.
 */
export async function sweepSchedules(context: ServiceContext): Promise<void> {
  const overdue = await context.db
    .selectFrom('schedules')
    .where('next_run', '<', sql<Date>`now() - interval '5 seconds'`)
    .select(['id', 'next_run'])
    .orderBy('next_run')
    .limit(BATCH)
    .execute();
  await Promise.allSettled(
    overdue.map(async ({ id, next_run: fireAt }) => {
      if (fireAt) await fire(context, id, fireAt);
    }),
  );
}

async function fire(context: ServiceContext, scheduleId: string, fireAt: Date): Promise<void> {
  try {
    const firing = await fireSchedule(context, scheduleId, fireAt);
    context.log.debug({ scheduleId, fireAt, firing }, 'schedule');
  } catch (error) {
    context.log.warn({ scheduleId, reason: errorMessage(error) }, 'schedule not fired');
    throw error;
  }
}
