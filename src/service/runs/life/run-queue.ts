import { randomUUID } from 'node:crypto';
import { fromKysely } from 'pg-boss';
import { z } from 'zod';
import { namedHarness } from '../../../config/harness.ts';
import type { AgentConfig } from '../../../contract/agent-config.ts';
import { RUN_QUEUE } from '../../../database/job-statements.ts';
import type { ServiceContext } from '../../context.ts';
import type { Db, Trx } from '../../tables.ts';
import type { QueuePlace } from '../create/new-run.ts';

/**
 * pg-boss's maximum. The sweeper restarts this time while a run works; the real limit is the
 * operator's.
 */
const EXPIRE_SECONDS = 24 * 60 * 60;
const KEEP_ENDED_SECONDS = 60 * 60;
/** Longer than any run waits: the operator's limit should decide, not pg-boss. */
const KEEP_QUEUED_SECONDS = 365 * 24 * 60 * 60;
const RETRIES_MAX = 100_000;

/** A claim of a job, by pg-boss's retry count; an outdated claim cannot change the job. */
export interface HeldJob {
  id: string;
  retryCount: number;
}

export async function createRunQueue({ database }: ServiceContext): Promise<void> {
  await database.queue.createQueue(RUN_QUEUE, {
    expireInSeconds: EXPIRE_SECONDS,
    deleteAfterSeconds: KEEP_ENDED_SECONDS,
    retentionSeconds: KEEP_QUEUED_SECONDS,
    retryLimit: RETRIES_MAX,
  });
  // pg-boss reads a queue's settings once, on a connection of its own. If the first transactions
  // did that, each would hold a connection while waiting for one more, and with all connections
  // taken none would get it.
  await database.queue.touch(RUN_QUEUE, randomUUID());
}

/** The lane and track in which a team's run with this configuration waits. */
export async function queuePlaceOf(
  context: ServiceContext,
  teamId: string,
  { worker_host = '', harness }: AgentConfig,
): Promise<QueuePlace> {
  const lane = await laneOf(context, teamId, worker_host);
  const named = namedHarness(harness?.type);
  return { lane, track: named === undefined ? lane : await trackOf(context, lane, named) };
}

async function trackOf({ db, lanes }: ServiceContext, lane: number, harness: string) {
  const name = `${lane} ${harness}`;
  const known = lanes.get(name);
  if (known !== undefined) return known;
  await db
    .insertInto('tracks')
    .values({ lane, harness })
    .onConflict((conflict) => conflict.columns(['lane', 'harness']).doNothing())
    .execute();
  const { id } = await db
    .selectFrom('tracks')
    .where('lane', '=', lane)
    .where('harness', '=', harness)
    .select('id')
    .executeTakeFirstOrThrow();
  lanes.set(name, id);
  return id;
}

/** Id of the lane for a team's runs on a worker host (`''`: the service's own pool). */
export async function laneOf(
  { db, lanes }: ServiceContext,
  teamId: string,
  workerHost: string,
): Promise<number> {
  const name = `${teamId} ${workerHost}`;
  const known = lanes.get(name);
  if (known !== undefined) return known;
  await db
    .insertInto('lanes')
    .values({ team_id: teamId, worker_host: workerHost })
    .onConflict((conflict) => conflict.columns(['team_id', 'worker_host']).doNothing())
    .execute();
  const { id } = await db
    .selectFrom('lanes')
    .where('team_id', '=', teamId)
    .where('worker_host', '=', workerHost)
    .select('id')
    .executeTakeFirstOrThrow();
  lanes.set(name, id);
  return id;
}

/** Adds a run to its track; returns the new job's id. */
export async function enqueue(
  { database }: ServiceContext,
  trx: Trx,
  runId: string,
  track: number,
): Promise<string> {
  const id = randomUUID();
  await database.queue.send(RUN_QUEUE, { runId }, { id, priority: track, db: fromKysely(trx) });
  return id;
}

/** pg-boss's result, which its types do not describe: how many jobs a call affected. */
const settled = z.object({ affected: z.int() });

function isOne(response: unknown): boolean {
  return settled.parse(response).affected === 1;
}

/** Renews a held job without a transaction; false if it is no longer held. */
export async function renewJob({ database }: ServiceContext, job: HeldJob): Promise<boolean> {
  return isOne(await database.queue.touch(RUN_QUEUE, job));
}

/** Renews a held job and locks its row; false if it is no longer held. */
export async function touchJob(
  { database }: ServiceContext,
  trx: Trx,
  job: HeldJob,
): Promise<boolean> {
  return isOne(await database.queue.touch(RUN_QUEUE, job, { db: fromKysely(trx) }));
}

/** Returns a held job to its track, ahead of the others. */
export async function giveBackJob(
  { database }: ServiceContext,
  trx: Trx,
  job: HeldJob,
): Promise<boolean> {
  return isOne(await database.queue.fail(RUN_QUEUE, job, null, { db: fromKysely(trx) }));
}

/** Completes a held job. */
export async function completeJob(
  { database }: ServiceContext,
  trx: Db,
  job: HeldJob,
): Promise<boolean> {
  return isOne(await database.queue.complete(RUN_QUEUE, job, null, { db: fromKysely(trx) }));
}

/** Cancels a job, waiting or held, and locks its row. */
export async function cancelJob(
  { database }: ServiceContext,
  trx: Trx,
  jobId: string,
): Promise<void> {
  await database.queue.cancel(RUN_QUEUE, jobId, { db: fromKysely(trx) });
}
