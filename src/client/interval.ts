/** Shortest and longest pause between two reads of a run, in milliseconds. */
const SHORTEST_MS = 2000;
const LONGEST_MS = 28_000;
/** The pause as a share of the run's age: on average its end is seen late by 5 % of its length. */
const SHARE_OF_AGE = 0.095;
/** Pauses between two reads of all runs: short while something happens, then longer each time. */
const BUSY_MS = 2000;
const IDLE_MS = 15_000;
const SLOWING = 1.5;

/** Milliseconds until the next read of a run that has been watched for `ageMs`. */
export function runIntervalMs(ageMs: number, random: () => number): number {
  return jitter(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ageMs * SHARE_OF_AGE)), random);
}

/** Milliseconds until the next read of all runs, after `quietLooks` reads without a change. */
export function idleIntervalMs(quietLooks: number, random: () => number): number {
  return jitter(Math.min(IDLE_MS, BUSY_MS * SLOWING ** Math.min(quietLooks, 30)), random);
}

/** Whether to ask again at once, which needs a service that really holds our requests. */
export function mayAskAtOnce(look: {
  waited: boolean;
  changed: boolean;
  /** The ETag that was sent (without one no request is held), and the one to send next. */
  sent: string | undefined;
  etag: string | undefined;
  /** Whether the service held an earlier request; undefined if none could be held yet. */
  waits: boolean | undefined;
  tookMs: number;
}): boolean {
  if (look.etag === undefined) return false;
  if (look.changed || look.sent === undefined) return look.waits !== false;
  return look.waited && look.tookMs >= HASTE_MS;
}

/** A held request that is answered sooner than this was not really held. */
const HASTE_MS = 500;

/** Between 3/4 and 5/4 of `ms`, at random, so that many watchers do not ask at the same time. */
function jitter(ms: number, random: () => number): number {
  return Math.round(ms * (0.75 + random() / 2));
}
