import { RunlinkError, errorMessage } from '../../base/error.ts';
import { sleep } from '../../base/time.ts';

const LOOK_EVERY_MS = 200;

/**
 * Checks repeatedly until something appears. Throws `story_timeout`, with what was expected, after
 * `withinMs`. A check that fails counts as nothing yet.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  options: { withinMs: number; signal: AbortSignal },
): Promise<T> {
  const deadline = performance.now() + options.withinMs;
  let lastFailure: unknown;
  while (performance.now() < deadline) {
    options.signal.throwIfAborted();
    const seen = await look().catch((error: unknown) => void (lastFailure = error));
    if (seen !== undefined) return seen;
    await sleep(LOOK_EVERY_MS, options.signal);
  }
  const reason = lastFailure === undefined ? '' : ` Last failure: ${errorMessage(lastFailure)}.`;
  throw new RunlinkError(
    'story_timeout',
    `${what} did not come within ${options.withinMs / 1000} s.${reason}`,
    { hint: 'Run again with RUNLINK_LOG=debug to see what each part did.', cause: lastFailure },
  );
}
