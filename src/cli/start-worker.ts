import { parseDurationMs } from '../base/time.ts';
import type { OperatorConfig } from '../config/operator-config.ts';
import { startWorker, type RunningWorker } from '../worker/main.ts';
import { assertUnseen, operatorView } from '../worker/sandbox/view.ts';
import type { WorkerOptions } from '../worker/worker-options.ts';

type Given =
  | 'baseUrl'
  | 'apiKey'
  | 'dataDir'
  | 'unseen'
  | 'workerHost'
  | 'onlyEnvironment'
  | 'once'
  | 'waitMs'
  | 'capacity'
  | 'network'
  | 'stopStart';

export interface WorkerStart extends Pick<WorkerOptions, Given | 'alone' | 'useProxy' | 'log'> {
  config: OperatorConfig;
  /** Harness for runs that name none, if the configuration names none either. */
  fallbackHarness?: string;
  /** Overrides the configuration's. */
  sandbox?: WorkerOptions['sandbox'];
}

/** A worker as the operator's configuration describes it. */
export function startConfiguredWorker(start: WorkerStart): Promise<RunningWorker> {
  const { config, fallbackHarness, sandbox, ...rest } = start;
  return startWorker({
    ...rest,
    harnesses: config.harnesses,
    defaultHarness: config.default_harness ?? fallbackHarness,
    environment: process.env,
    gitToken: process.env[config.github.token_variable],
    allowInsecureRemotes: config.allow_insecure_remotes,
    sandbox: sandbox ?? config.sandbox.driver,
    engine: config.sandbox.engine,
    readOnly: config.sandbox.read_only,
    limits: {
      wallClockMs: parseDurationMs(config.limits.run_time),
      pullMs: parseDurationMs(config.limits.pull_time),
      budgetTokens: config.limits.budget_tokens,
    },
    keep: {
      workspaceMs: parseDurationMs(config.workspaces.keep),
      diskBytes: config.workspaces.disk_gib * 1024 ** 3,
    },
  });
}

/**
 * Throws `data_shown`, before anything is written there, if the operator lets runs see `dataDir`.
 */
export function assertDataUnseen(
  { sandbox }: Pick<WorkerStart, 'sandbox'>,
  { sandbox: { driver, read_only } }: OperatorConfig,
  dataDir: string,
): void {
  if ((sandbox ?? driver) === 'direct') return;
  assertUnseen(operatorView(read_only), [dataDir], read_only);
}
