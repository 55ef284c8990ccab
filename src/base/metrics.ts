import { Counter, type Registry } from 'prom-client';

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
