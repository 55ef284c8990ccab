import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfterMs, retryDelayMs } from '../../src/client/retry.ts';
import { idleIntervalMs, runIntervalMs } from '../../src/client/interval.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

describe('the wait before another try', () => {
  it('is full jitter below a bound that doubles up to twenty seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), unit, (failures, random) => {
        const wait = retryDelayMs(failures, undefined, () => random);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(Math.min(20_000, 250 * 2 ** failures));
      }),
    );
  });

  it('is never shorter than what the service asks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), unit, (asked, random) => {
        expect(retryDelayMs(3, asked, () => random)).toBeGreaterThanOrEqual(asked);
      }),
    );
  });

  it('is read from seconds, a date or milliseconds, whatever else the header holds', () => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    expect(readRetryAfterMs({ 'retry-after': '3' }, now)).toBe(3000);
    expect(readRetryAfterMs({ 'retry-after': 'Sat, 21 Nov 2026 12:00:05 GMT' }, now)).toBe(5000);
    expect(readRetryAfterMs({ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, now)).toBe(0);
    expect(readRetryAfterMs({ 'retry-after': '9', 'retry-after-ms': '40' }, now)).toBe(40);
    fc.assert(
      fc.property(fc.string(), (value) => {
        const wait = readRetryAfterMs({ 'retry-after': value, 'retry-after-ms': value }, now);
        expect(wait === undefined || wait >= 0).toBe(true);
      }),
    );
  });
});

/**
 * Run lengths in seconds, spread as coding agents' runs are: most of some minutes, a few of hours.
 */
function lengths(count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const quantile = (index + 0.5) / count;
    return 30 * ((3600 * 2) / 30) ** (quantile ** 0.8);
  });
}

/** How late the end of a run of this length is seen, and with how many looks. */
function simulate(
  lengthMs: number,
  intervalMs: (ageMs: number) => number,
): { lateMs: number; looks: number } {
  let [age, looks] = [0, 1];
  while (age < lengthMs) {
    age += intervalMs(age);
    looks += 1;
  }
  return { lateMs: age - lengthMs, looks };
}

describe('the watch of a run on a service that holds no requests', () => {
  it('sees the end 5 % of its length late on average, at most 15 s, with fewer looks than every 10 s', () => {
    let seed = 1;
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const runs = lengths(400).map((seconds) => {
      const rounds = Array.from({ length: 20 }, () =>
        simulate(seconds * 1000, (age) => runIntervalMs(age, random)),
      );
      const mean = (pick: (round: { lateMs: number; looks: number }) => number): number =>
        rounds.reduce((sum, round) => sum + pick(round), 0) / rounds.length;
      const fixed = simulate(seconds * 1000, () => 10_000).looks;
      return {
        seconds,
        late: mean((round) => round.lateMs),
        looks: mean((round) => round.looks),
        fixed,
      };
    });
    const average = (numbers: number[]): number =>
      numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    expect(average(runs.map((run) => run.late / (run.seconds * 1000)))).toBeLessThanOrEqual(0.05);
    expect(average(runs.map((run) => run.late))).toBeLessThanOrEqual(15_000);
    const total = (pick: (run: (typeof runs)[number]) => number): number =>
      runs.reduce((sum, run) => sum + pick(run), 0);
    expect(total((run) => run.looks)).toBeLessThan(total((run) => run.fixed));
  });

  it('slows down while nothing happens, within bounds', () => {
    fc.assert(
      fc.property(fc.nat(1000), unit, (quiet, random) => {
        const wait = idleIntervalMs(quiet, () => random);
        expect(wait).toBeGreaterThanOrEqual(1500);
        expect(wait).toBeLessThanOrEqual(18_750);
      }),
    );
    expect(idleIntervalMs(5, () => 0.5)).toBeGreaterThan(idleIntervalMs(0, () => 0.5));
  });
});
