import { join } from 'node:path';
import { aborted } from 'node:util';
import type { Command } from 'commander';
import { parseDurationMs } from '../../base/time.ts';
import { RunlinkError } from '../../base/error.ts';
import { commandLog } from '../command-log.ts';
import { interruptSignal } from '../interrupt.ts';
import { dataDirectory, loadConfig } from '../locate.ts';
import { requiredKey } from '../remote.ts';
import { readCount } from '../read-option.ts';

interface WorkerCommandOptions {
  baseUrl?: string;
  workerHost?: string;
  data: string;
  config?: string;
  capacity?: number;
  agent?: string;
  sandbox: 'auto' | 'bwrap' | 'unshare' | 'direct';
  network: 'full' | 'none';
  grace: string;
}

async function runWorker(options: WorkerCommandOptions): Promise<void> {
  const baseUrl = options.baseUrl ?? process.env['RUNLINK_BASE_URL'];
  if (!baseUrl) {
    throw new RunlinkError('missing_base_url', 'No service is named.', {
      hint: 'Give --base-url, such as http://127.0.0.1:8787/api/v1.',
    });
  }
  const stop = interruptSignal();
  const { startConfiguredWorker } = await import('../start-worker.ts');
  const worker = await startConfiguredWorker({
    baseUrl,
    apiKey: requiredKey(),
    dataDir: join(dataDirectory(options), 'worker'),
    config: await loadConfig(options.config),
    sandbox: options.sandbox,
    network: options.network,
    alone: true,
    useProxy: true,
    log: commandLog('worker'),
    ...(options.workerHost && { workerHost: options.workerHost }),
    ...(options.capacity && { capacity: options.capacity }),
    ...(options.agent && { fallbackHarness: options.agent }),
  });
  await aborted(stop, stop);
  await worker.drain(parseDurationMs(options.grace));
}

export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('take runs of a service and carry them out; the key comes from RUNLINK_API_KEY')
    .option('--base-url <url>', 'service to work for (default: RUNLINK_BASE_URL)')
    .option('--worker-host <name>', 'take only runs that name this host (self-hosted worker)')
    .option('--data <dir>', 'keeps mirrors, workspaces and leases under DIR/worker', '.runlink')
    .option('--config <file>', 'agent profiles and limits (default: runlink.yaml, if there is one)')
    .option('--capacity <count>', 'runs at once (default: twice the cores, at most 8)', readCount)
    .option('--agent <name>', 'agent of runs that name none')
    .option('--sandbox <driver>', 'auto, bwrap, unshare or direct', 'auto')
    .option('--network <mode>', 'network of agents: full or none', 'full')
    .option('--grace <duration>', 'time runs get to finish when told to stop', '30s')
    .addHelpText(
      'after',
      `
Examples:
  $ RUNLINK_API_KEY=rl_… runlink worker --base-url https://runs.example.org/api/v1
  $ RUNLINK_API_KEY=rl_… runlink worker --worker-host gpu-box --agent claude --capacity 2`,
    )
    .action(runWorker);
}
