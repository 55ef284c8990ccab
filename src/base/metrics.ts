import { Counter, type Registry } from 'prom-client';
import { sleep } from './time.ts';

/** Prometheus by itself gives up after ten seconds. */
const READ_WITHIN_MS = 5000;

/** Rejects if the reading takes so long that whoever scrapes would get nothing at all. */
export async function readInTime<T>(reading: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = sleep(READ_WITHIN_MS, done.signal).then(() => {
    throw new Error('This takes too long.');
  });
  return Promise.race([reading, late]).finally(() => done.abort());
}

/** Lets several gauges share one reading; each is shown once that is done. */
export function shareReading(read: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  return () =>
    (current ??= read().finally(() => {
      current = undefined;
    }));
}

/**
 * A counter, by the values of one label, of something counted elsewhere. Every value starts at 0.
 */
export function showCounts<K extends string>(
  registry: Registry,
  { name, help, label }: { name: string; help: string; label: string },
  keys: readonly K[],
  counts: ReadonlyMap<K, number>,
): void {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      counter.reset();
      for (const key of keys) counter.inc({ [label]: key }, counts.get(key) ?? 0);
    },
  });
}
