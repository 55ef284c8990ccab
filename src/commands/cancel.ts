import { retry } from '../base/retry.ts';
import type { Client } from '../client/connect.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { renderRefusal } from '../github/render/answer.ts';
import type { Face, Handled } from './face.ts';
import { orUndefined } from './thread-run.ts';

export type Cancellation = 'cancel_requested' | 'run_ended' | 'not_cancellable' | 'run_vanished';

const CANCEL_WITHIN_MS = 20_000;
const READ_WITHIN_MS = 10_000;
/** A starting run answers 409. PENDING is short, so the next try comes soon. */
const PENDING_PAUSE_MS = 400;
const TRY_TIMEOUT_MS = 3000;

/** Carries out the command `cancel` and answers it. */
export async function cancelOnCommand(face: Face, runId: string): Promise<Handled> {
  if (face.rehearse) {
    face.rehearse({ run_id: runId, cancel: true });
    return { reason: 'dry_run' };
  }
  const { signal } = face.patience(READ_WITHIN_MS);
  const reason = await cancelRun(face.service, runId, { withinMs: CANCEL_WITHIN_MS, signal });
  const run = await orUndefined(() => face.service.runs.get(runId, face.patience(READ_WITHIN_MS)));
  if (run) await face.show(runId);
  if (reason === 'cancel_requested') return { reason, run, answer: { reaction: 'rocket' } };
  const text = renderRefusal(reason, HINTS[reason]);
  return { reason, run, answer: { reaction: 'confused', text } };
}

const HINTS: Partial<Record<Cancellation, string>> = {
  not_cancellable:
    'It runs on one of your own machines: stop it there. The comment keeps showing its state.',
};

/**
 * Cancels a run, and retries while the run starts or the service fails. A refusal because of the
 * run's state is an outcome, not a failure (interface.md 7). Throws the last failure when time is
 * up.
 */
export async function cancelRun(
  service: Client,
  runId: string,
  { withinMs, signal }: { withinMs: number; signal?: AbortSignal | undefined },
): Promise<Cancellation> {
  const deadline = performance.now() + withinMs;
  const attempt = async (): Promise<Cancellation> => {
    const timeout = Math.max(1, Math.min(TRY_TIMEOUT_MS, deadline - performance.now()));
    const options = { signal, retry: false, tryTimeoutMs: timeout, deadlineMs: timeout };
    try {
      await service.runs.cancel(runId, options);
      return 'cancel_requested';
    } catch (error) {
      const outcome = readOutcome(error);
      if (outcome) return outcome;
      throw error;
    }
  };
  return retry(attempt, {
    signal,
    deadline,
    pauseMs: (error) => (mayPass(error) ? PENDING_PAUSE_MS : undefined),
  });
}

function readOutcome(error: unknown): Cancellation | undefined {
  if (isProblem(error, 'operation_not_supported')) return 'not_cancellable';
  if (isProblem(error, 'resource_not_found')) return 'run_vanished';
  return isProblem(error) && error.status === 400 ? 'run_ended' : undefined;
}

function mayPass(error: unknown): boolean {
  return isClientError(error) && !(isProblem(error) && [401, 403].includes(error.status));
}
