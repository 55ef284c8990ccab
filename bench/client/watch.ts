import { runIntervalMs } from '../../src/client/interval.ts';

/**
 * Simulates the watch of runs on a service that holds no requests, beside a look every ten seconds.
 */

const RUNS = 2000;
const ROUNDS = 50;
const FIXED_MS = 10_000;
const SHORTEST_S = 30;
const LONGEST_S = 2 * 3600;

interface Watched {
  lateMs: number;
  looks: number;
}

/** Run lengths spread as agents' runs are: most of some minutes, a few of hours. */
function lengthAt(quantile: number): number {
  return SHORTEST_S * (LONGEST_S / SHORTEST_S) ** (quantile ** 0.8) * 1000;
}

/**
 * One run watched to its end; the first look comes at a random time of its life's first interval.
 */
function watch(lengthMs: number, intervalMs: (ageMs: number) => number): Watched {
  let age = Math.random() * intervalMs(0);
  let looks = 1;
  while (age < lengthMs) {
    age += intervalMs(age);
    looks += 1;
  }
  return { lateMs: age - lengthMs, looks };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function simulate(intervalMs: (ageMs: number) => number): {
  lateShare: number;
  lateSeconds: number;
  looks: number;
} {
  const watched = Array.from({ length: RUNS }, (_, index) => {
    const lengthMs = lengthAt((index + 0.5) / RUNS);
    const rounds = Array.from({ length: ROUNDS }, () => watch(lengthMs, intervalMs));
    return {
      lengthMs,
      lateMs: mean(rounds.map((one) => one.lateMs)),
      looks: mean(rounds.map((one) => one.looks)),
    };
  });
  return {
    lateShare: mean(watched.map((one) => one.lateMs / one.lengthMs)),
    lateSeconds: mean(watched.map((one) => one.lateMs)) / 1000,
    looks: mean(watched.map((one) => one.looks)),
  };
}

const adaptive = simulate((age) => runIntervalMs(age, Math.random));
const fixed = simulate(() => FIXED_MS);
const row = (name: string, { lateShare, lateSeconds, looks }: typeof adaptive): string =>
  `| ${name} | ${(lateShare * 100).toFixed(1)} % | ${lateSeconds.toFixed(1)} s | ${looks.toFixed(1)} |`;

process.stdout.write(
  [
    '| watch | late, mean share of the run | late, mean | looks per run |',
    '|---|---|---|---|',
    row('adaptive', adaptive),
    row('every 10 s', fixed),
    `\nlooks: ${(adaptive.looks / fixed.looks).toFixed(2)} of the fixed watch's\n`,
  ].join('\n'),
);
