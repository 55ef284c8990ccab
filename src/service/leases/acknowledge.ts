import type { endpoints } from '../../contract/endpoints.ts';
import { retryConflicts } from '../../database/failure.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { lockRun } from '../runs/life/lock-run.ts';
import { touchJob } from '../runs/life/run-queue.ts';
import { MOMENT } from '../runs/log/append.ts';
import { transition } from '../runs/life/transition.ts';
import { leaseLost, requireLease } from './held-run.ts';

/** POST …/acknowledge: the worker begins; PENDING becomes INPROGRESS. */
export async function acknowledge(
  context: ServiceContext,
  { caller, params, request }: Call<typeof endpoints.worker.acknowledge>,
) {
  const held = await requireLease(context.db, caller, params.runId, request);
  return retryConflicts(() =>
    context.db.transaction().execute(async (trx) => {
      if (!(await touchJob(context, trx, held.job))) throw leaseLost();
      const run = await lockRun(trx, held.id);
      if (!run || run.attempt !== held.attempt) throw leaseLost();
      if (run.state === 'INPROGRESS') return { state: run.state };
      if (run.state !== 'PENDING') throw leaseLost();
      await transition(trx, run, 'acknowledge', {
        set: { started_at: MOMENT, finished_at: null, status_message: null },
      });
      return { state: 'INPROGRESS' as const };
    }),
  );
}
