import type { RunRow } from '../runs/find-run.ts';

/** The runs that a worker can carry out. */
export interface Offer {
  /** The agents it offers. */
  harnesses: readonly string[];
  /** Whether it also takes runs that name no agent. */
  unnamed: boolean;
}

/** A worker's request for a run. */
export interface Ask {
  /** Undefined means the next lane of the pool, in turn, that has waiting runs for this offer. */
  lane: number | undefined;
  offer: Offer;
  /** Ids of the environments it is limited to; absent if it takes any. */
  environments?: readonly string[] | undefined;
  worker: string;
  /** Hash of the worker's key in hex, if the statement has to check it. */
  key: string | undefined;
  /** Token hash of the new lease. */
  tokenHash: Buffer;
}

/**
 * The result of a request: nothing was waiting; or a job, with its run if that was still waiting.
 */
export interface Taken {
  /** The lane that was searched; null if none had anything. */
  lane: number | null;
  job: { id: string; retryCount: number } | undefined;
  run: RunRow | undefined;
}

/** SQL: the tracks of a lane that fit a worker's offer. */
export const tracksOf = (lane: string, offer: string): string => `(
  select ${lane} as track where ${offer}.unnamed
  union all select t.id from tracks t where t.lane = ${lane} and t.harness = any(${offer}.harnesses)) track`;
