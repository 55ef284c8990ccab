/**
 * Most requests that one key may have waiting. Our own limit: a watcher needs one, a worker one per
 * run.
 */
export const WAITS_PER_KEY = 256;

const waiting = new Map<string, number>();

/**
 * Takes a slot for a waiting request of this key. Returns a function that frees it; undefined if
 * all are taken.
 */
export function enterWait(keyId: string): (() => void) | undefined {
  const count = waiting.get(keyId) ?? 0;
  if (count >= WAITS_PER_KEY) return undefined;
  waiting.set(keyId, count + 1);
  return () => {
    const left = (waiting.get(keyId) ?? 1) - 1;
    if (left > 0) waiting.set(keyId, left);
    else waiting.delete(keyId);
  };
}
