import { rename, writeFile } from 'node:fs/promises';
import { aborted } from 'node:util';
import type { Command } from 'commander';
import { readAppVariables } from '../../app/environment-variables.ts';
import {
  credentialsFile,
  namesApp,
  withCredentials,
  withKeptApp,
} from '../../app/setup/credentials-file.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { SandboxDriver } from '../../config/sandbox.ts';
import { commandLog } from '../command-log.ts';
import { interruptSignal } from '../interrupt.ts';
import {
  databaseLocation,
  dataDirectory,
  loadOperatorConfig,
  type DataOptions,
} from '../locate.ts';
import type { InnerAppOptions } from '../serve/inner-app.ts';
import {
  addMetricsOptions,
  databaseUrlOption,
  graceOption,
  metricsAddress,
  readCount,
  readPort,
  readOrigin,
  sandboxOption,
  type MetricsOptions,
} from '../read-option.ts';
import type { ServeOptions } from '../serve/start-serving.ts';
import { useProxies } from '../serve/use-proxies.ts';

interface ServeCommandOptions extends DataOptions, MetricsOptions {
  host: string;
  port: number;
  publicUrl?: string;
  worker: boolean;
  capacity?: number;
  sandbox?: SandboxDriver;
  app?: boolean;
  appTeam: string;
  config?: string;
  readyFile?: string;
  grace: number;
}

/**
 * Writes a file that says the process is listening; in one step, so that nobody reads half of it.
 */
export async function writeReadyFile(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content)}\n`);
  await rename(`${file}.new`, file);
}

/**
 * The App that the environment or an earlier set-up names; without one, the pages that create it.
 */
function appOptions(
  config: OperatorConfig,
  dataDir: string,
  team: string,
): { app: InnerAppOptions } | { setup: NonNullable<ServeOptions['setup']> } {
  const githubApiUrl = config.github.api_url;
  const variables = withCredentials(dataDir, process.env);
  if (!namesApp(variables)) return { setup: { githubApiUrl, file: credentialsFile(dataDir) } };
  const { credentials, secrets, settings } = readAppVariables({
    RUNLINK_API_KEY: 'its own',
    ...variables,
  });
  return { app: { ...credentials, secrets, settings, githubApiUrl, team } };
}

type BuiltInWorker = NonNullable<ServeOptions['worker']>;

function workerOptions({ capacity, sandbox }: ServeCommandOptions): BuiltInWorker {
  return { ...(capacity && { capacity }), ...(sandbox && { sandbox }) };
}

async function serve(options: ServeCommandOptions): Promise<void> {
  const stop = interruptSignal();
  const log = await commandLog('serve');
  const dataDir = dataDirectory(options);
  const config = await loadOperatorConfig(options.config);
  const app = options.app && appOptions(config, dataDir, options.appTeam);
  const useProxy = await useProxies(process.env, options.host);
  const { startServing } = await import('../serve/start-serving.ts');
  const serving = await startServing({
    host: options.host,
    port: options.port,
    database: databaseLocation(options, 'owner'),
    dataDir,
    config,
    variables: withKeptApp(dataDir, process.env, config.github),
    useProxy,
    log,
    ...(options.publicUrl && { publicUrl: options.publicUrl }),
    ...(options.worker && { worker: workerOptions(options) }),
    ...app,
    ...metricsAddress(options),
  });
  if (serving.setupUrl)
    log.warn(
      { url: serving.setupUrl },
      'no App is named: open this address, which works once, to create it',
    );
  try {
    if (options.readyFile) {
      const { url, apiBaseUrl: api_base_url, metricsUrl: metrics_url } = serving;
      await writeReadyFile(options.readyFile, { url, api_base_url, metrics_url, pid: process.pid });
    }
    await aborted(stop, stop);
    log.info('stopping');
  } finally {
    await serving.close(options.grace);
  }
}

export function addDataOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'data directory', '.runlink')
    .addOption(databaseUrlOption());
}

export function addServeCommand(program: Command): void {
  addMetricsOptions(addDataOptions(program.command('serve')))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 means any free one', readPort, 8787)
    .option('--public-url <url>', 'where people reach this service, for links', readOrigin)
    .option('--no-worker', 'start no worker in this process')
    .option('--capacity <count>', 'runs at once of the built-in worker', readCount)
    .addOption(sandboxOption())
    .option(
      '--app',
      'serve the GitHub App too: APP_ID, PRIVATE_KEY and WEBHOOK_SECRET from the environment, or as created on its set-up page',
    )
    .option('--app-team <name>', 'team that the App’s runs belong to', 'default')
    .option(
      '--config <file>',
      'environments, models, agents, limits (default: runlink.yaml, if there is one)',
    )
    .option(
      '--ready-file <file>',
      'gets {"url","api_base_url","metrics_url","pid"} once the service listens',
    )
    .addOption(graceOption('runs and requests', '10s'))
    .addHelpText(
      'after',
      `
On first start the owner's personal key is written to DIR/owner.key.

Examples:
  $ runlink serve
  $ runlink serve --database-url postgres://runlink@db/runlink --no-worker --host 0.0.0.0`,
    )
    .action(serve);
}
