import { ProblemError } from '../../../contract/problem.ts';
import { isTerminal } from '../../../contract/run.ts';
import type { ServiceContext } from '../../context.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import { requireRun } from '../find-run.ts';
import { lockRun, type LockedRun } from './lock-run.ts';
import { changeRuns } from './change-runs.ts';
import { isCancellableType } from '../run-item.ts';
import { cancelJob } from './run-queue.ts';
import { MOMENT } from '../log/append.ts';
import { transition } from './transition.ts';

/** POST /agent/runs/{runId}/cancel; returns the run's id. */
export async function cancelRun(
  context: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<string> {
  for (;;) {
    const { id, job_id: jobId } = await requireRun(context.db, caller, runId);
    const done = await changeRuns(context, async (trx) => {
      if (jobId !== null) await cancelJob(context, trx, jobId);
      const run = await lockRun(trx, id);
      if (run?.job_id !== jobId) return false;
      checkCancellable(run);
      await transition(trx, run, 'cancel', {
        set: {
          finished_at: MOMENT,
          status_message: JSON.stringify({ message: 'The run was cancelled.' }),
          ...(run.state === 'INPROGRESS'
            ? { last_signal: run.last_signal + 1, cancel_signal: run.last_signal + 1 }
            : {}),
        },
        payload: { by: caller.profile },
        announce: [`signal:${id}`],
      });
      return true;
    });
    if (done) return id;
  }
}

/**
 * Throws if the run cannot be cancelled. The order of checks follows run-lifecycle.md, "Cancel":
 * terminal 400, type 422, PENDING 409.
 */
function checkCancellable(run: LockedRun): void {
  if (isTerminal(run.state))
    throw new ProblemError('invalid_request', {
      detail: `The run has already ended (${run.state}).`,
    });
  if (!isCancellableType(run))
    throw new ProblemError('operation_not_supported', {
      title: 'Self-hosted, local and GitHub Action runs cannot be cancelled here.',
    });
  if (run.state === 'PENDING')
    throw new ProblemError('conflict', {
      title: 'The run is just being started. Try again in a moment.',
      retryAfterSeconds: 1,
    });
}
