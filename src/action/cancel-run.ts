import { sleep } from '../base/time.ts';
import type { Client } from '../client/connect.ts';
import { isClientError, isProblem } from '../client/error.ts';

export type Cancellation = 'cancelled' | 'ended' | 'not_cancellable' | 'gone' | 'failed';

/**
 * A starting run answers 409; the next look should be soon, for PENDING is short
 * (run-lifecycle.md, "States and transitions").
 */
const PENDING_PAUSE_MS = 400;
const TRY_TIMEOUT_MS = 3000;

/** Cancels a run, asking again while it starts or the service stumbles, for at most `withinMs`. */
export async function cancelRun(
  client: Client,
  runId: string,
  withinMs: number,
  signal?: AbortSignal,
): Promise<Cancellation> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const left = deadline - performance.now();
    if (left <= 0) return 'failed';
    try {
      const timeout = Math.min(TRY_TIMEOUT_MS, left);
      const options = { signal, retry: false, tryTimeoutMs: timeout, deadlineMs: timeout };
      await client.runs.cancel(runId, options);
      return 'cancelled';
    } catch (error) {
      const verdict = readRefusal(error);
      if (verdict) return verdict;
      if (!isClientError(error)) throw error;
    }
    await sleep(Math.min(PENDING_PAUSE_MS, Math.max(0, deadline - performance.now())), signal);
  }
}

function readRefusal(error: unknown): Cancellation | undefined {
  if (isProblem(error, 'operation_not_supported')) return 'not_cancellable';
  if (isProblem(error, 'resource_not_found')) return 'gone';
  if (isProblem(error, 'conflict')) return undefined;
  if (isProblem(error) && error.status === 400) return 'ended';
  if (isProblem(error) && (error.status === 401 || error.status === 403)) return 'failed';
  return undefined;
}
