import { aborted } from 'node:util';
import { Option, type Command } from 'commander';
import type { Registry } from 'prom-client';
import type { RunningWorker } from '../../worker/main.ts';
import { serveMetrics } from '../../base/serve-metrics.ts';
import type { SandboxDriver } from '../../config/sandbox.ts';
import { commandLog } from '../command-log.ts';
import { EXIT_CODES, exitCodeOfRun, wrongUse } from '../exit-code.ts';
import { CommandInterrupted, interruptSignal } from '../interrupt.ts';
import { dataDirectory, hasConfig, loadOperatorConfig } from '../locate.ts';
import { requiredKey, requiredUrl } from '../remote.ts';
import {
  addMetricsOptions,
  baseUrlOption,
  durationOption,
  graceOption,
  metricsAddress,
  readCount,
  sandboxOption,
  type MetricsOptions,
} from '../read-option.ts';

interface WorkerCommandOptions extends MetricsOptions {
  baseUrl?: string;
  workerHost?: string;
  environment?: string;
  once?: boolean;
  wait?: number;
  data: string;
  config?: string;
  capacity?: number;
  harness?: string;
  sandbox?: SandboxDriver;
  network: 'full' | 'none';
  grace: number;
}

export function addWorkerCommand(program: Command): void {
  addMetricsOptions(program.command('worker'))
    .addOption(baseUrlOption('service to work for'))
    .option('--worker-host <name>', 'take only runs that name this host (self-hosted worker)')
    .option('--environment <name>', 'take only runs of this environment')
    .addOption(
      new Option('--once', 'take one run, carry it out, and exit with its outcome').conflicts(
        'capacity',
      ),
    )
    .addOption(
      durationOption(
        '--wait <duration>',
        'with --once: end when no run came within this time, with 6 when no service did',
      ),
    )
    .option(
      '--data <dir>',
      'where this worker keeps mirrors, workspaces and leases; share it with no other',
      '.runlink-worker',
    )
    .option(
      '--config <file>',
      'agents, sandbox and limits of this worker, before those of the service (default: runlink.yaml, if there is one)',
    )
    .option('--capacity <count>', 'runs at once (default: twice the cores, at most 8)', readCount)
    .option('--harness <name>', 'program that works in runs that name none')
    .addOption(sandboxOption())
    .addOption(
      new Option('--network <mode>', 'network of agents').choices(['full', 'none']).default('full'),
    )
    .addOption(graceOption('runs', '30s'))
    .addHelpText(
      'after',
      `
Examples:
  $ RUNLINK_API_KEY=rl_… runlink worker --base-url https://runs.example.org/api/v1
  $ RUNLINK_API_KEY=rl_… runlink worker --worker-host gpu-box --harness claude --capacity 2
  $ RUNLINK_API_KEY=rl_… runlink worker --once --environment web --wait 5m`,
    )
    .action((options: WorkerCommandOptions) => {
      if (options.wait !== undefined && !options.once)
        throw wrongUse('--wait is for a worker of one run.', 'Add --once, or leave --wait out.');
      return runWorker(options);
    });
}

async function runWorker(options: WorkerCommandOptions): Promise<void> {
  const baseUrl = requiredUrl(options);
  const stop = interruptSignal();
  const { startConfiguredWorker } = await import('../start-worker.ts');
  const { handedConfig } = await import('../handed-settings.ts');
  const service = { baseUrl, apiKey: requiredKey() };
  const log = await commandLog('worker');
  const own = {
    config: await loadOperatorConfig(options.config),
    hasFile: hasConfig(options.config),
  };
  const start = {
    ...service,
    dataDir: dataDirectory(options),
    config: await handedConfig(service, own, log, stop, options.once ? options.wait : undefined),
    ...(options.sandbox && { sandbox: options.sandbox }),
    network: options.network,
    stopStart: stop,
    alone: true,
    useProxy: true,
    log,
    ...(options.workerHost && { workerHost: options.workerHost }),
    ...(options.environment && { onlyEnvironment: options.environment }),
    ...(options.once && { once: true, waitMs: options.wait }),
    ...(options.capacity && { capacity: options.capacity }),
    ...(options.harness && { fallbackHarness: options.harness }),
  };
  const { metrics: address } = metricsAddress(options);
  const shown: Registry[] = [];
  const metrics = address && (await serveMetrics(shown, address));
  try {
    const worker = await startConfiguredWorker(start);
    if (metrics) shown.push(await worker.metrics());
    try {
      await Promise.race([aborted(stop, stop), worker.over]);
    } finally {
      await worker.drain(options.grace);
    }
    if (options.once) process.exitCode = exitCodeOfOne(worker.verdict(), stop);
  } finally {
    await metrics?.close();
  }
}

/** 0 if the run succeeded or there was none; otherwise the exit code of its state. */
function exitCodeOfOne(verdict: ReturnType<RunningWorker['verdict']>, stop: AbortSignal): number {
  if (verdict === 'left') return EXIT_CODES.failed[0];
  if (verdict !== undefined) return exitCodeOfRun({ state: verdict });
  return stop.reason instanceof CommandInterrupted ? stop.reason.exitCode : EXIT_CODES.done[0];
}
