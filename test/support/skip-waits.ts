import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/**
 * From now to the test's end every wait of the code in this process (`sleep`) is over at once.
 * Answers the list of waits that were asked for, in milliseconds, which grows as they come.
 */
export function skipWaits(): number[] {
  const waits: number[] = [];
  const spy = vi.spyOn(timers, 'setTimeout');
  spy.mockImplementation(async <T>(ms?: number, value?: T) => {
    waits.push(ms ?? 1);
    return value;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return waits;
}
