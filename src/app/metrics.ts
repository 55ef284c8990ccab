import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { readInTime, shareReading } from '../base/metrics.ts';

export interface Metrics {
  registry: Registry;
  /** Deliveries by their outcome, on arrival and after handling. */
  deliveries: Counter<'event' | 'reason'>;
  acknowledged: Histogram;
  commands: Counter<'command' | 'reason'>;
  writes: Counter<'kind' | 'outcome'>;
  serviceRequests: Counter<'outcome'>;
}

/** What each scrape reads from the database. */
export interface AppMetricsSource {
  inbox(): Promise<{ waiting: number; oldestSeconds: number }>;
  outbox(): Promise<{ waiting: number; oldestSeconds: number }>;
  githubRemaining(): Iterable<[installationId: number, left: number]>;
  runsByState(): Promise<{ state: string; count: number }[]>;
}

export function createMetrics(source: AppMetricsSource): Metrics {
  const registry = new Registry();
  registerQueue(registry, 'inbox', 'Deliveries waiting to be handled', () => source.inbox());
  registerQueue(registry, 'outbox', 'Writes waiting to be sent to GitHub', () => source.outbox());
  const runs: Gauge = new Gauge({
    name: 'runlink_app_runs',
    help: 'Runs under way, by the state they were last seen in.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      runs.reset();
      for (const { state, count } of await readInTime(source.runsByState()))
        runs.set({ state }, count);
    },
  });
  const remaining: Gauge = new Gauge({
    name: 'runlink_app_github_remaining',
    help: 'Requests left of the primary rate limit, as GitHub last said.',
    labelNames: ['installation'],
    registers: [registry],
    collect() {
      for (const [installation, left] of source.githubRemaining()) {
        remaining.set({ installation: String(installation) }, left);
      }
    },
  });
  return {
    registry,
    deliveries: new Counter({
      name: 'runlink_app_deliveries_total',
      help: 'Webhook deliveries by event and reason code.',
      labelNames: ['event', 'reason'],
      registers: [registry],
    }),
    acknowledged: new Histogram({
      name: 'runlink_app_acknowledge_seconds',
      help: 'Time from a delivery to its answer.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 10],
      registers: [registry],
    }),
    commands: new Counter({
      name: 'runlink_app_commands_total',
      help: 'Commands by verb and reason code.',
      labelNames: ['command', 'reason'],
      registers: [registry],
    }),
    writes: new Counter({
      name: 'runlink_app_github_writes_total',
      help: 'Writes to GitHub by kind and outcome.',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    }),
    serviceRequests: new Counter({
      name: 'runlink_app_service_requests_total',
      help: 'Requests to the run service by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
  };
}

function registerQueue(
  registry: Registry,
  name: string,
  help: string,
  read: () => Promise<{ waiting: number; oldestSeconds: number }>,
): void {
  const collect = shareReading(async () => {
    const depth = await readInTime(read());
    waiting.set(depth.waiting);
    age.set(depth.oldestSeconds);
  });
  const registers = [registry];
  const waiting = new Gauge({
    name: `runlink_app_${name}_waiting`,
    help: `${help}.`,
    registers,
    collect,
  });
  const age = new Gauge({
    name: `runlink_app_${name}_oldest_seconds`,
    help: `Age of the oldest: ${help}.`,
    registers,
    collect,
  });
}
