import { Counter, type Registry } from 'prom-client';

/** One reading for all gauges that it fills: each is shown when the reading is done. */
export function shareReading(read: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  return () =>
    (current ??= read().finally(() => {
      current = undefined;
    }));
}

/** A counter of what is counted elsewhere, by the values of one label; each is shown from 0 on. */
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
