import { Counter, Gauge, Registry } from 'prom-client';
import { showCounts } from '../base/metrics.ts';
import { TERMINAL_STATES, type TerminalState } from '../contract/run-state.ts';
import { diskFree } from './disk-use.ts';

/** What a worker counts about itself. */
export interface WorkerTally {
  readonly capacity: number;
  readonly activeRuns: number;
  /** Executions by the state in which the service ended them. */
  readonly ended: ReadonlyMap<TerminalState, number>;
  /** Claims that were refused or got no answer. */
  readonly claimFailures: number;
}

/** A worker's metrics (docs/operations.md, "Metrics"); loaded only if somebody scrapes them. */
export function createWorkerMetrics(tally: WorkerTally, dataDir: string): Registry {
  const registry = new Registry();
  const registers = [registry];
  function gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const shown: Gauge = new Gauge({
      name,
      help,
      registers,
      collect: async () => shown.set(await read()),
    });
  }
  gauge('runlink_worker_runs', 'Runs under way.', () => tally.activeRuns);
  gauge('runlink_worker_capacity', 'Runs that may be under way at once.', () => tally.capacity);
  gauge('runlink_worker_disk_free_bytes', 'Room left on the disk of the data directory.', () =>
    diskFree(dataDir),
  );
  const ended = {
    name: 'runlink_worker_runs_ended_total',
    help: 'Executions by the state they ended in.',
    label: 'state',
  };
  showCounts(registry, ended, TERMINAL_STATES, tally.ended);
  const failures: Counter = new Counter({
    name: 'runlink_worker_claim_failures_total',
    help: 'Claims that were refused or not answered.',
    registers,
    collect() {
      failures.reset();
      failures.inc(tally.claimFailures);
    },
  });
  return registry;
}
