/** Bounds of the time between two looks at a run, in milliseconds. */
const SHORTEST_MS = 2000;
const LONGEST_MS = 28_000;
/** The interval grows with the run's age, so that on average its end is seen 5 % of its length late. */
const SHARE_OF_AGE = 0.095;
/** Between two looks at all runs: as quick as this while something happens, else slower and slower. */
const BUSY_MS = 2000;
const IDLE_MS = 15_000;
const SLOWING = 1.5;

/** Any time from three quarters of `ms` to five, so that watchers do not march in step. */
function jitter(ms: number, random: () => number): number {
  return Math.round(ms * (0.75 + random() / 2));
}

/** Milliseconds until the next look at a run that was watched for `ageMs` so far. */
export function runIntervalMs(ageMs: number, random: () => number): number {
  return jitter(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ageMs * SHARE_OF_AGE)), random);
}

/** Milliseconds until the next look at all runs, after so many looks without a change. */
export function idleIntervalMs(quietLooks: number, random: () => number): number {
  return jitter(Math.min(IDLE_MS, BUSY_MS * SLOWING ** Math.min(quietLooks, 30)), random);
}

/** Whether to ask again at once: the service holds our requests, and it did not just answer in haste. */
export function mayAskAtOnce(look: {
  waited: boolean;
  changed: boolean;
  /** The ETag sent, without which nothing can be held, and the one to send next. */
  sent: string | undefined;
  etag: string | undefined;
  /** Whether the service held an earlier request; nothing where none could be held yet. */
  waits: boolean | undefined;
  tookMs: number;
}): boolean {
  if (look.etag === undefined) return false;
  if (look.changed || look.sent === undefined) return look.waits !== false;
  return look.waited && look.tookMs >= HASTE_MS;
}

const HASTE_MS = 500;
