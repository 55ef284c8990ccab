import type { Pool } from 'pg';
import { Gauge, Registry } from 'prom-client';
import { readInTime, shareReading, showCounts } from '../../base/metrics.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import { RUN_STATES } from '../../contract/run-state.ts';
import { readOpenRuns, type OpenRuns } from './read-open-runs.ts';
import { EXPIRY_REASONS, type Tally } from './tally.ts';

export interface MetricsSource {
  pools: Record<'main' | 'steady', Pool>;
  environments: OperatorConfig['environments'];
  tally: Tally;
  heldRequests(): number;
}

/**
 * The metrics of one node (docs/operations.md, "Metrics"); loaded only if somebody scrapes them.
 */
export function createServiceMetrics(source: MetricsSource): Registry {
  const { tally, pools } = source;
  const registry = new Registry();
  const registers = [registry];
  addOpenRuns(registers, source);
  addPools(registers, pools);
  const held: Gauge = new Gauge({
    name: 'runlink_held_requests',
    help: 'Requests that wait at this node for something to change.',
    registers,
    collect: () => held.set(source.heldRequests()),
  });
  const changes = {
    name: 'runlink_run_changes_total',
    help: 'Runs that entered a state by what this node wrote.',
    label: 'to',
  };
  showCounts(registry, changes, RUN_STATES, tally.changes);
  const expired = {
    name: 'runlink_leases_expired_total',
    help: 'Leases that this node took from their workers.',
    label: 'reason',
  };
  showCounts(registry, expired, EXPIRY_REASONS, tally.expired);
  return registry;
}

/**
 * Adds what the database says about open runs. If it cannot be read, the other metrics are still
 * shown.
 */
function addOpenRuns(registers: Registry[], { pools, environments }: MetricsSource): void {
  const collect = shareReading(async () => {
    for (const gauge of [waiting, oldest, inEnvironment, runs]) gauge.reset();
    const found = await readInTime(readOpenRuns(pools.main)).catch(() => undefined);
    up.set(found ? 1 : 0);
    if (found) show(found);
  });
  const labelNames = ['team', 'worker_host'] as const;
  const up = new Gauge({
    name: 'runlink_database_up',
    help: '1 while the database answers.',
    registers,
    collect,
  });
  const waiting = new Gauge({
    name: 'runlink_queue_waiting',
    help: 'Runs that wait for a worker, by lane.',
    labelNames,
    registers,
    collect,
  });
  const oldest = new Gauge({
    name: 'runlink_queue_oldest_seconds',
    help: 'How long the oldest run of a lane has waited.',
    labelNames,
    registers,
    collect,
  });
  const inEnvironment = new Gauge({
    name: 'runlink_environment_waiting',
    help: 'Runs of the service’s own pool that wait, by environment; empty for those without one.',
    labelNames: ['environment'],
    registers,
    collect,
  });
  const runs = new Gauge({
    name: 'runlink_runs',
    help: 'Runs that have not ended, by state.',
    labelNames: ['state'],
    registers,
    collect,
  });
  function show({ lanes, byEnvironment, byState }: OpenRuns): void {
    for (const { waiting: count, oldestSeconds, ...lane } of lanes) {
      waiting.set(lane, count);
      oldest.set(lane, oldestSeconds);
    }
    // Zeros are shown too, because autoscalers read this while nothing waits.
    for (const { id, name } of [{ id: '', name: '' }, ...environments])
      inEnvironment.inc({ environment: name }, byEnvironment.get(id) ?? 0);
    for (const [state, count] of byState) runs.set({ state }, count);
  }
}

function addPools(registers: Registry[], pools: MetricsSource['pools']): void {
  const connections = new Gauge({
    name: 'runlink_database_connections',
    help: 'Connections to the database that are open, by pool and whether one is used.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
        connections.set({ pool, state: 'idle' }, idleCount);
        connections.set({ pool, state: 'used' }, totalCount - idleCount);
      }
    },
  });
  const waiting = new Gauge({
    name: 'runlink_database_waiting',
    help: 'Statements that wait for a connection.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waitingCount }] of Object.entries(pools))
        waiting.set({ pool }, waitingCount);
    },
  });
}
