import { errorMessage } from '../base/error.ts';
import { isClientError } from '../client/error.ts';
import { cancelRun, type Cancellation } from '../commands/cancel.ts';
import { failureReason } from '../commands/failure.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import type { Reason } from '../github/decide/reason.ts';
import { reportEnding } from './report-ending.ts';
import { Interrupted } from './interrupted.ts';
import { endOfRun, endWithout, type StepOutcome, type StepConclusion } from './step-outcome.ts';
import { showRun } from './comment-and-check.ts';
import type { OwnRun, Step } from './step-context.ts';

/**
 * Time for everything after a cancellation: the runner kills the step ten seconds after its first
 * signal.
 */
const STOP_WITHIN_MS = 9000;
const CANCEL_WITHIN_MS = 6000;
/** The same after a timeout, when the runner is in no hurry. */
const UNHURRIED_MS = 60_000;

/** What came of cancelling a run; undefined if it was not to be cancelled. */
export type Cancelled = Cancellation | 'failed' | undefined;

/**
 * Ends a watch early: cancels the run or lets it go on, as the inputs say, and updates comment,
 * check and outputs.
 */
export async function stopWaiting(
  step: Step,
  own: OwnRun,
  { last, error }: { last: RunRead | undefined; error: unknown },
): Promise<StepOutcome> {
  if (error instanceof Interrupted) return stopInterrupted(step, own, last, error);
  const reason = failureReason(error);
  const note = noteOf(reason, error);
  const run = last ?? unseen(own);
  await showRun(step, own, run, { unwatched: true, notes: [note] });
  await step.outbox.settle();
  return { ...endWithout(reason, note), run };
}

/** Tries to cancel a run within this time. */
export async function tryToCancel(
  { client }: Pick<Step, 'client'>,
  runId: string,
  withinMs: number,
): Promise<Cancelled> {
  try {
    return await cancelRun(client, runId, { withinMs });
  } catch (error) {
    if (!isClientError(error)) throw error;
    return 'failed';
  }
}

function noteOf(reason: Reason, error: unknown): string {
  const text = errorMessage(error).replaceAll(/\s+/g, ' ').slice(0, 500);
  if (reason === 'run_vanished') return 'The service no longer knows this run.';
  if (reason === 'internal_error') return `This step failed: ${text}. The run may go on.`;
  return `The service stopped answering as it should (${text}). The run may continue, but this job no longer watches it.`;
}

async function stopInterrupted(
  step: Step,
  own: OwnRun,
  last: RunRead | undefined,
  { by }: Interrupted,
): Promise<StepOutcome> {
  const isTimeout = by === 'timeout';
  // The step's own signal is aborted already, so this has one of its own.
  const signal = AbortSignal.timeout(isTimeout ? UNHURRIED_MS : STOP_WITHIN_MS);
  const fresh = { ...step, signal };
  const cancelled = await cancelIfWanted(step, own, isTimeout);
  const run = (await lookOnce(step, own.runId)) ?? last ?? unseen(own);
  const notes = notesOn(isTimeout, cancelled, run);
  const ended = await endInTime(fresh, own, run, notes);
  const outcome = { ...ended, unfinished: whatIsLeft(step, run, cancelled, notes) };
  if (isTerminal(run.state) && run.state !== 'CANCELLED') return outcome;
  const reason = isTimeout ? 'timed_out' : 'interrupted';
  const conclusion: StepConclusion = isTimeout ? 'timed_out' : 'cancelled';
  return { ...outcome, ...endWithout(reason, notes.join(' ')), conclusion, run };
}

function whatIsLeft(
  { outbox }: Step,
  run: RunRead,
  cancelled: Cancelled,
  notes: string[],
): StepOutcome['unfinished'] {
  const [why = ''] = notes;
  if (cancelled === 'failed' && !isTerminal(run.state)) return { notes: [why], cancel: true };
  return outbox.isBehind ? { notes, cancel: false } : undefined;
}

async function endInTime(
  step: Step,
  own: OwnRun,
  run: RunRead,
  notes: string[],
): Promise<StepOutcome> {
  try {
    return await reportEnding(step, own, run, { notes });
  } catch (error) {
    if (!step.signal.aborted) throw error;
    return endOfRun(run, step.settings.failOn);
  }
}

async function cancelIfWanted(
  step: Step,
  { runId, isAttached }: OwnRun,
  isTimeout: boolean,
): Promise<Cancelled> {
  const { settings } = step;
  const onCancel = settings.onCancel ?? (isAttached ? 'detach' : 'cancel');
  const wanted = isTimeout ? settings.onTimeout : onCancel;
  if (wanted === 'detach') return undefined;
  return tryToCancel(step, runId, isTimeout ? UNHURRIED_MS / 2 : CANCEL_WITHIN_MS);
}

/** Stands for a run that was not read yet. */
function unseen({ runId }: OwnRun): RunRead {
  return { run_id: runId, state: 'UNKNOWN' };
}

async function lookOnce({ client }: Step, runId: string): Promise<RunRead | undefined> {
  try {
    return await client.runs.get(runId, { retry: false, tryTimeoutMs: 2000, deadlineMs: 2000 });
  } catch (error) {
    if (!isClientError(error)) throw error;
    return undefined;
  }
}

function notesOn(isTimeout: boolean, cancelled: Cancelled, run: RunRead): string[] {
  const why = isTimeout ? 'The time limit of the step passed.' : 'The workflow was cancelled.';
  if (isTerminal(run.state)) return [why];
  if (cancelled === 'not_cancellable') {
    return [
      why,
      'The service cannot cancel this kind of run: it continues, but this job no longer watches it.',
    ];
  }
  if (cancelled === 'failed')
    return [
      why,
      'The run could not be cancelled: it may continue, but this job no longer watches it.',
    ];
  if (cancelled === 'run_vanished') return [why, 'The service no longer knows this run.'];
  if (cancelled === 'cancel_requested') return [why, 'The run is being cancelled.'];
  return [why, 'The run continues, but this job no longer watches it.'];
}
