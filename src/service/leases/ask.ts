import type { RunRow } from '../runs/find-run.ts';

/** What a worker can carry out. */
export interface Offer {
  /** Agents that runs may name. */
  harnesses: readonly string[];
  /** Whether it also takes runs that name none. */
  unnamed: boolean;
}

/** A worker's wish for a run. */
export interface Ask {
  /** Undefined: of the pool's lanes the next one in turn that has waiting runs of what it offers. */
  lane: number | undefined;
  offer: Offer;
  /** Ids of the only environments whose runs it takes; of any where absent. */
  environments?: readonly string[] | undefined;
  worker: string;
  /** Hash of the worker's key in hex, where it is to be proven good. */
  key: string | undefined;
  /** Of the lease it will have. */
  tokenHash: Buffer;
}

/** What a wish came to: nothing waited; or a job, with its run if that still waited. */
export interface Taken {
  /** The lane that was looked into; null where none had anything. */
  lane: number | null;
  job: { id: string; retryCount: number } | undefined;
  run: RunRow | undefined;
}

/** The tracks of a lane that a worker looks into. */
export const tracksOf = (lane: string, offer: string): string => `(
  select ${lane} as track where ${offer}.unnamed
  union all select t.id from tracks t where t.lane = ${lane} and t.harness = any(${offer}.harnesses)) track`;
