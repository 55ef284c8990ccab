import { ProblemError } from '../../../contract/problem.ts';
import { isTerminal } from '../../../contract/run.ts';
import type { ServiceContext } from '../../context.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import { requireRun } from '../find-run.ts';
import { latestRunOf } from '../sessions.ts';
import { changeRuns } from './change-runs.ts';
import { storeSignal } from './follow-up.ts';
import { lockRun, type LockedRun } from './lock-run.ts';

/** The text for workers that do not know interrupts and treat it as a follow-up. */
const STOP = 'Stop what you are doing and wait for what to do next.';

/**
 * POST …/interrupt: the worker stops the agent's turn and continues with messages that came
 * meanwhile.
 */
export async function interruptRun(
  context: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<{ run_id: string }> {
  const { id } = await requireRun(context.db, caller, runId);
  await changeRuns(context, async (trx) => {
    const run = await lockRun(trx, id);
    if (!run) throw new ProblemError('resource_not_found');
    checkInterruptible(run);
    await storeSignal(trx, run, { text: STOP, mode: 'normal', caller, interrupt: true });
  });
  return { run_id: id };
}

/** POST /agent/conversations/{conversationId}/interrupt. */
export async function interruptConversation(
  context: ServiceContext,
  caller: TeamPrincipal,
  conversationId: string,
): Promise<{ run_id: string }> {
  return interruptRun(context, caller, await latestRunOf(context.db, caller, conversationId));
}

function checkInterruptible({ state, execution_location }: LockedRun): void {
  if (isTerminal(state))
    throw new ProblemError('invalid_request', { detail: `The run has already ended (${state}).` });
  if (execution_location === 'LOCAL')
    throw new ProblemError('operation_not_supported', {
      title: 'This run is executed by whoever started it and cannot be interrupted here.',
    });
  if (state !== 'INPROGRESS')
    throw new ProblemError('conflict', {
      title: 'The agent has not started yet, so there is no turn to stop.',
      retryAfterSeconds: 1,
    });
}
