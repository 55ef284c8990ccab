import { parseDurationMs } from '../base/time.ts';
import type { Log } from '../base/log.ts';
import type { OperatorConfig } from '../config/operator-config.ts';
import type { SandboxDriver } from '../config/sandbox.ts';
import { startWorker, type RunningWorker } from '../worker/main.ts';

export interface WorkerStart {
  baseUrl: string;
  apiKey: string;
  dataDir: string;
  /** Directories no run may see, such as the service's own data. */
  unseen?: readonly string[];
  workerHost?: string;
  capacity?: number;
  config: OperatorConfig;
  /** Profile of runs that name none, where the configuration names none either. */
  fallbackHarness?: string;
  /** Instead of the configuration's. */
  sandbox?: SandboxDriver;
  network?: 'full' | 'none';
  /** The process does nothing else. */
  alone: boolean;
  useProxy: boolean;
  log: Log;
}

/** A worker as the operator's configuration describes it. */
export function startConfiguredWorker(start: WorkerStart): Promise<RunningWorker> {
  const { config } = start;
  return startWorker({
    baseUrl: start.baseUrl,
    apiKey: start.apiKey,
    dataDir: start.dataDir,
    unseen: start.unseen,
    workerHost: start.workerHost,
    capacity: start.capacity,
    harnesses: config.harnesses,
    defaultHarness: config.default_harness ?? start.fallbackHarness,
    environment: process.env,
    gitToken: process.env[config.github.token_variable],
    allowInsecureRemotes: config.allow_insecure_remotes,
    sandbox: start.sandbox ?? config.sandbox.driver,
    readOnly: config.sandbox.read_only,
    network: start.network,
    limits: {
      wallClockMs: parseDurationMs(config.limits.run_time),
      budgetTokens: config.limits.budget_tokens,
    },
    alone: start.alone,
    useProxy: start.useProxy,
    log: start.log,
  });
}
