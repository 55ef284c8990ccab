import { randomUUID } from 'node:crypto';
import { fromKysely } from 'pg-boss';
import { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import type { Trx } from '../tables.ts';

/** Each job of this queue is one firing of one schedule. */
export const SCHEDULE_QUEUE = 'schedules';

export const firingJob = z.object({ scheduleId: z.string(), fireAt: z.iso.datetime() });

export async function createScheduleQueue({
  database,
}: Pick<ServiceContext, 'database'>): Promise<void> {
  await database.queue.createQueue(SCHEDULE_QUEUE, { policy: 'short' });
  // Read the settings before the first transaction needs them: see createRunQueue.
  await database.queue.touch(SCHEDULE_QUEUE, randomUUID());
}

/**
 * Queues the next firing of a schedule, in the caller's transaction; does nothing for a paused one.
 */
export async function sendFiring(
  { database }: Pick<ServiceContext, 'database'>,
  trx: Trx,
  scheduleId: string,
  fireAt: Date | null,
): Promise<void> {
  if (fireAt === null) return;
  const at = fireAt.toISOString();
  await database.queue.send(
    SCHEDULE_QUEUE,
    { scheduleId, fireAt: at },
    { startAfter: fireAt, singletonKey: `${scheduleId} ${at}`, db: fromKysely(trx) },
  );
}
