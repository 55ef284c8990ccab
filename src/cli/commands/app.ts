import type { Command } from 'commander';
import { RunlinkError } from '../../base/error.ts';
import { commandLog } from '../command-log.ts';
import { interruptSignal } from '../interrupt.ts';
import { dataDirectory, databaseLocation, type DataOptions } from '../locate.ts';
import { readPort } from '../read-option.ts';
import { addDataOptions } from './serve.ts';

interface AppCommandOptions extends DataOptions {
  host: string;
  port: number;
  githubApiUrl: string;
  baseUrl?: string;
  readyFile?: string;
}

async function app(options: AppCommandOptions): Promise<void> {
  const baseUrl = options.baseUrl ?? process.env['RUNLINK_BASE_URL'];
  if (!baseUrl) {
    throw new RunlinkError('missing_base_url', 'No run service is named.', {
      hint: 'Give --base-url, such as http://127.0.0.1:8787/api/v1.',
    });
  }
  const { host, port, githubApiUrl, readyFile } = options;
  const location = databaseLocation(options, 'guest');
  const dataDir = dataDirectory(options);
  const { runApp } = await import('../../app/main.ts');
  await runApp(
    { host, port, location, dataDir, githubApiUrl, baseUrl, readyFile },
    process.env,
    commandLog('app'),
    interruptSignal(),
  );
}

export function addAppCommand(program: Command): void {
  addDataOptions(program.command('app'))
    .description('run the GitHub App; webhooks at /api/github/webhooks')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 means any free one', readPort, 3000)
    .option(
      '--github-api-url <url>',
      'GitHub’s API, or that of your Enterprise Server',
      'https://api.github.com',
    )
    .option('--base-url <url>', 'run service (default: RUNLINK_BASE_URL)')
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
