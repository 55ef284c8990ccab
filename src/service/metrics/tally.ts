import type { RunState } from '../../contract/run.ts';

/** Why a lease is taken from its worker: it never began, went silent, or the run's time is up. */
export const EXPIRY_REASONS = ['unacknowledged', 'lost', 'overdue'] as const;
export type ExpiryReason = (typeof EXPIRY_REASONS)[number];

/** What a node did since it started. */
export interface Tally {
  /** Runs that entered a state by what it committed. */
  changes: Map<RunState, number>;
  /** Leases that it took from their workers. */
  expired: Map<ExpiryReason, number>;
}

export function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
