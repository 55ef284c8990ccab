import { sleep } from './time.ts';

/** The lengths of the pauses between tries. */
export interface Backoff {
  /** The longest first pause; the bound doubles with each try. */
  firstMs: number;
  longestMs: number;
}

export interface RetryOptions {
  /** Milliseconds until the next try, or undefined if the failure is final. `tries` begins at 1. */
  pauseMs: (error: unknown, tries: number) => number | undefined;
  signal?: AbortSignal | undefined;
  /** On the clock of `performance.now()`. A pause that would end later is not begun. */
  deadline?: number | undefined;
}

/**
 * Milliseconds to wait after this many failures: random between zero and a bound that doubles with
 * each (full jitter), so that clients that failed together do not return together.
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: Backoff,
  random: () => number = Math.random,
): number {
  return random() * Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * Tries until it works, the failure is final or the deadline is near; then throws the last failure.
 */
export async function retry<T>(
  attempt: (tries: number) => Promise<T>,
  { pauseMs, signal, deadline = Infinity }: RetryOptions,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt(tries);
    } catch (error) {
      const pause = pauseMs(error, tries);
      if (pause === undefined || performance.now() + pause >= deadline) throw error;
      await sleep(pause, signal);
    }
  }
}
