import { errorMessage } from '../base/error.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import type { Reason } from '../github/decide/reason.ts';
import type { Act } from './act.ts';
import { cancelRun, type Cancellation } from './cancel-run.ts';
import { finishRun, reportOf } from './finish.ts';
import { Interrupted } from './interrupted.ts';
import { endOfRun, endWithout, type Outcome, type StepConclusion } from './outcome.ts';
import type { Publisher } from './publisher.ts';

/** Everything after a cancel has this long: the runner kills ten seconds after its first signal. */
export const STOP_WITHIN_MS = 9000;
const CANCEL_WITHIN_MS = 6000;
/** After a timeout nobody hurries us. */
const UNHURRIED_MS = 60_000;

interface Stop {
  runId: string;
  last: RunRead | undefined;
  publisher: Publisher;
  isAttached: boolean;
  error: unknown;
}

/**
 * Ends a watch that could not see its run to the end: cancels the run or lets it go on, as the inputs
 * say, and leaves comment, check and outputs with the truth.
 */
export async function stopRun(act: Act, stop: Stop): Promise<Outcome> {
  const { error } = stop;
  if (error instanceof Interrupted) return stopInterrupted(act, stop, error);
  const reason = failureReason(error);
  const note = noteOf(reason, error);
  const run: RunRead = stop.last ?? unseen(stop.runId);
  stop.publisher.show({ ...reportOf(act, run), unwatched: true, notes: [note] });
  await stop.publisher.settle();
  return { ...endWithout(reason, note), run, ...urlsOf(stop.publisher) };
}

/** What a failure of the service means for the step. */
export function failureReason(error: unknown): Reason {
  if (isProblem(error, 'resource_not_found')) return 'run_vanished';
  if (isProblem(error) && error.status < 500 && error.status !== 429) return 'service_refused';
  return isClientError(error) ? 'service_unreachable' : 'internal_error';
}

function noteOf(reason: Reason, error: unknown): string {
  const text = errorMessage(error).replaceAll(/\s+/g, ' ').slice(0, 500);
  if (reason === 'run_vanished') return 'The service no longer knows this run.';
  if (reason === 'internal_error') return `This step broke off: ${text}. The run may go on.`;
  return `The service stopped answering as it should (${text}). The run may go on; nobody watches it here.`;
}

async function stopInterrupted(act: Act, stop: Stop, interrupted: Interrupted): Promise<Outcome> {
  const isTimeout = interrupted.by === 'timeout';
  // The old signal is aborted; what follows has a time of its own.
  const signal = AbortSignal.timeout(isTimeout ? UNHURRIED_MS : STOP_WITHIN_MS);
  const fresh = { ...act, signal };
  const cancelled = await cancelIfWanted(act, stop, isTimeout);
  const run = (await lookOnce(fresh, stop.runId)) ?? stop.last ?? unseen(stop.runId);
  const notes = stopNotes(isTimeout, cancelled, run);
  const finished = await finishInTime(fresh, run, stop.publisher, notes);
  const outcome = { ...finished, unfinished: whatIsLeft(run, cancelled, notes, stop.publisher) };
  if (isTerminal(run.state) && run.state !== 'CANCELLED') return outcome;
  const reason = isTimeout ? 'timed_out' : 'interrupted';
  const conclusion: StepConclusion = isTimeout ? 'timed_out' : 'cancelled';
  return { ...outcome, ...endWithout(reason, notes.join(' ')), conclusion, run };
}

function whatIsLeft(
  run: RunRead,
  cancelled: Cancellation | undefined,
  notes: string[],
  publisher: Publisher,
): Outcome['unfinished'] {
  const [why = ''] = notes;
  if (cancelled === 'failed' && !isTerminal(run.state)) return { notes: [why], cancel: true };
  return publisher.isBehind ? { notes, cancel: false } : undefined;
}

async function finishInTime(
  act: Act,
  run: RunRead,
  publisher: Publisher,
  notes: string[],
): Promise<Outcome> {
  try {
    return await finishRun(act, run, publisher, { notes });
  } catch (error) {
    if (!act.signal.aborted) throw error;
    return { ...endOfRun(run, act.settings.failOn), ...urlsOf(publisher) };
  }
}

async function cancelIfWanted(
  { client, settings }: Act,
  { runId, isAttached }: Stop,
  isTimeout: boolean,
): Promise<Cancellation | undefined> {
  const onCancel = settings.onCancel ?? (isAttached ? 'detach' : 'cancel');
  const wanted = isTimeout ? settings.onTimeout : onCancel;
  if (wanted === 'detach') return undefined;
  return cancelRun(client, runId, isTimeout ? UNHURRIED_MS / 2 : CANCEL_WITHIN_MS);
}

/** A run of which nothing was seen yet. */
function unseen(runId: string): RunRead {
  return { run_id: runId, state: 'UNKNOWN' };
}

async function lookOnce(act: Act, runId: string): Promise<RunRead | undefined> {
  try {
    return await act.client.runs.get(runId, { retry: false, tryTimeoutMs: 2000, deadlineMs: 2000 });
  } catch (error) {
    if (!isClientError(error)) throw error;
    return undefined;
  }
}

function stopNotes(
  isTimeout: boolean,
  cancelled: Cancellation | undefined,
  run: RunRead,
): string[] {
  const why = isTimeout ? 'The time limit of the step passed.' : 'The workflow was cancelled.';
  if (isTerminal(run.state)) return [why];
  if (cancelled === 'not_cancellable') {
    return [why, 'The service cannot cancel this kind of run: it goes on unwatched.'];
  }
  if (cancelled === 'failed')
    return [why, 'The run could not be cancelled: it may go on unwatched.'];
  if (cancelled === 'gone') return [why, 'The service no longer knows this run.'];
  if (cancelled === 'cancelled') return [why, 'The run is being cancelled.'];
  return [why, 'The run goes on unwatched.'];
}

function urlsOf(publisher: Publisher): Pick<Outcome, 'commentUrl' | 'checkUrl'> {
  return { commentUrl: publisher.commentUrl, checkUrl: publisher.checkUrl };
}
