import type { RunState } from '../../contract/run.ts';

/** Why a lease is taken from its worker: it never began, it was silent, or the run's time is up. */
export const EXPIRY_REASONS = ['unacknowledged', 'lost', 'overdue'] as const;
export type ExpiryReason = (typeof EXPIRY_REASONS)[number];

/** What this node has counted since it started. */
export interface Tally {
  /** Runs by the state that this node moved them to; only committed changes count. */
  changes: Map<RunState, number>;
  /** Leases that this node took from workers. */
  expired: Map<ExpiryReason, number>;
}

export function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
