import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** Whose waits are skipped: not those of what other tests left behind in this process. */
const skipping = new AsyncLocalStorage<number[]>();

/**
 * From now to the test's end every wait (`sleep`) of what the test calls is over at once. Answers
 * the list of waits that were asked for, in milliseconds, which grows as they come.
 */
export function skipWaits(): number[] {
  const waits: number[] = [];
  const wait = timers.setTimeout;
  const spy = vi.spyOn(timers, 'setTimeout');
  spy.mockImplementation(async (ms, value, options) => {
    if (skipping.getStore() !== waits) return wait(ms, value, options);
    waits.push(ms ?? 1);
    return value;
  });
  syncBuiltinESMExports();
  skipping.enterWith(waits);
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return waits;
}
