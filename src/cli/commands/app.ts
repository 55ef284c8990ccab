import type { Command } from 'commander';
import { PUBLIC_API } from '../../contract/github-origin.ts';
import { commandLog } from '../command-log.ts';
import { interruptSignal } from '../interrupt.ts';
import { dataDirectory, databaseLocation, type DataOptions } from '../locate.ts';
import {
  addMetricsOptions,
  baseUrlOption,
  metricsAddress,
  readPort,
  readUrl,
  type MetricsOptions,
} from '../read-option.ts';
import { requiredUrl } from '../remote.ts';
import { addDataOptions } from './serve.ts';

interface AppCommandOptions extends DataOptions, MetricsOptions {
  host: string;
  port: number;
  githubApiUrl: string;
  baseUrl?: string;
  readyFile?: string;
}

export function addAppCommand(program: Command): void {
  addMetricsOptions(addDataOptions(program.command('app')))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 means any free one', readPort, 3000)
    .option(
      '--github-api-url <url>',
      'GitHub’s API, or that of your Enterprise Server',
      readUrl,
      PUBLIC_API,
    )
    .addOption(baseUrlOption('run service'))
    .option('--ready-file <file>', 'gets {"url","pid"} once the App listens')
    .addHelpText(
      'after',
      `
APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH), WEBHOOK_SECRET and RUNLINK_API_KEY come from the environment.

Example:
  $ runlink app --port 3000 --base-url http://127.0.0.1:8787/api/v1`,
    )
    .action(app);
}

async function app(options: AppCommandOptions): Promise<void> {
  const baseUrl = requiredUrl(options);
  const { host, port, githubApiUrl, readyFile } = options;
  const location = databaseLocation(options, 'guest');
  const dataDir = dataDirectory(options);
  const { runApp } = await import('../../app/main.ts');
  await runApp(
    { host, port, location, dataDir, githubApiUrl, baseUrl, readyFile, ...metricsAddress(options) },
    process.env,
    await commandLog('app'),
    interruptSignal(),
  );
}
