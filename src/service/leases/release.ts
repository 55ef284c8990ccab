import type { endpoints } from '../../contract/endpoints.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { endRunKeys } from '../keys/run-keys.ts';
import { changeRuns } from '../runs/life/change-runs.ts';
import { lockRun, type LockedRun } from '../runs/life/lock-run.ts';
import { giveBackJob, touchJob, type HeldJob } from '../runs/life/run-queue.ts';
import { transition } from '../runs/life/transition.ts';
import type { Trx } from '../tables.ts';
import { returnFollowups } from './followups.ts';
import { leaseLost, requireLease } from './held-run.ts';

/** Returns a claimed run to its lane, in the caller's transaction, which has locked job and run. */
export async function requeue(
  context: ServiceContext,
  trx: Trx,
  run: LockedRun,
  job: HeldJob,
  reason: string,
): Promise<void> {
  await giveBackJob(context, trx, job);
  await returnFollowups(trx, run);
  await endRunKeys(trx, run.id);
  await transition(trx, run, 'requeue', {
    set: { lease_hash: null },
    payload: { reason },
    announce: ['lane:any', ...(run.lane === null ? [] : [`lane:${run.lane}` as const])],
  });
}

/** POST …/release: the worker returns a run before its agent started. */
export async function release(
  context: ServiceContext,
  { caller, params, request, body }: Call<typeof endpoints.worker.release>,
) {
  const held = await requireLease(context.db, caller, params.runId, request);
  return changeRuns(context, async (trx) => {
    if (!(await touchJob(context, trx, held.job))) throw leaseLost();
    const run = await lockRun(trx, held.id);
    if (!run || run.attempt !== held.attempt || run.state !== 'PENDING') throw leaseLost();
    await requeue(context, trx, run, held.job, body.reason);
    return { state: 'QUEUED' as const };
  });
}
