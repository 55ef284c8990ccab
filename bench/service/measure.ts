/** What a series of timings comes to, in milliseconds. */
export interface Timings {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/**
 * The value below which `share` of the sorted values lie; of few values, the highest that counts.
 */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export function summarise(times: readonly number[]): Timings {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}

/** Times `act` `count` times, `clients` at once, after some that do not count. */
export async function time(
  act: () => Promise<unknown>,
  { count, clients = 1, warmUp = 3 }: { count: number; clients?: number; warmUp?: number },
): Promise<{ times: number[]; perSecond: number }> {
  for (let index = 0; index < warmUp; index += 1) await act();
  const times: number[] = [];
  let left = count;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left > 0) {
        left -= 1;
        const start = performance.now();
        await act();
        times.push(performance.now() - start);
      }
    }),
  );
  return { times, perSecond: (count / (performance.now() - began)) * 1000 };
}

export function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
