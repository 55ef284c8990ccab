import { isClientError } from '../../client/error.ts';
import type { AppContext } from '../context.ts';
import { reactTo, replyTo, type Ask } from './ask.ts';
import { refreshRun } from './refresh-run.ts';

export type CancelOutcome = 'cancel_requested' | 'run_ended' | 'not_cancellable' | 'run_vanished';

/** A run that is just starting answers 409 for a moment (interface.md 3). */
const CANCEL_WITHIN_MS = 20_000;

/** Asks the service to cancel; what a run in its state answers is an outcome, not a failure. */
export async function cancelRun(context: AppContext, runId: string): Promise<CancelOutcome> {
  try {
    await context.client.runs.cancel(runId, { deadlineMs: CANCEL_WITHIN_MS });
    return 'cancel_requested';
  } catch (error) {
    const outcome = isClientError(error) && error.kind === 'problem' && ANSWERS[error.status];
    if (!outcome) throw error;
    return outcome;
  }
}

/** interface.md 7. */
const ANSWERS: Record<number, CancelOutcome> = {
  400: 'run_ended',
  404: 'run_vanished',
  422: 'not_cancellable',
};

const SAID: Record<Exclude<CancelOutcome, 'cancel_requested'>, string> = {
  run_ended: 'There is nothing to cancel: the run has ended already.',
  not_cancellable:
    'The service cannot cancel this kind of run: it executes on a machine of yours and ends there. Its state goes on being shown.',
  run_vanished: 'The service no longer knows the run of this thread.',
};

/** The command `cancel`, answered. */
export async function cancelOnCommand(
  context: AppContext,
  ask: Ask,
  runId: string,
): Promise<CancelOutcome> {
  const outcome = await cancelRun(context, runId);
  await reactTo(context, ask, outcome === 'cancel_requested' ? 'rocket' : 'confused');
  if (outcome !== 'cancel_requested') {
    await replyTo(context, ask, ask.requestId, SAID[outcome]);
  }
  await refreshRun(context, runId);
  return outcome;
}
