import { GITHUB_LOCKS } from './github-locks.ts';
import type { Mutant } from './mutant.ts';
import { SERVICE_LOCKS } from './service-locks.ts';
import { WORKER_LOCKS } from './worker-locks.ts';

export const MUTANTS: readonly Mutant[] = [...GITHUB_LOCKS, ...SERVICE_LOCKS, ...WORKER_LOCKS];

/** Threats that no lock of our code stands against, and why. */
export const WITHOUT_LOCK: Readonly<Record<string, string>> = {
  G7: 'it is held by how workflows are written: a test reads each that we ship',
  S21: 'nothing fetches an address of others yet',
};
