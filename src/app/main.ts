import { writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { aborted } from 'node:util';
import type { Logger } from 'pino';
import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import { closeInTurn } from '../base/close-in-turn.ts';
import { listen, type Address } from '../base/listen.ts';
import { serveMetrics } from '../base/serve-metrics.ts';
import { createClient } from '../client/client.ts';
import { openTables, type DatabaseLocation } from '../database/open-database.ts';
import { assertKeys } from './check-keys.ts';
import { connectGithub } from './connect-github.ts';
import { createApp } from './create-app.ts';
import { readAppVariables } from './environment-variables.ts';
import { answerReason } from './http/answer.ts';
import { createAppListener } from './http/listener.ts';
import { credentialsFile, namesApp, withCredentials } from './setup/credentials-file.ts';
import { openSetup } from './setup/open-setup.ts';
import { isNear } from './setup/reachable.ts';
import { appMigrations } from './store/migrations.ts';
import type { AppTables } from './store/tables.ts';

export interface AppFlags {
  host: string;
  port: number;
  location: DatabaseLocation;
  /** Where the credentials that GitHub hands out at set-up are kept. */
  dataDir: string;
  githubApiUrl: string;
  /** The run service's API, with its version segment. */
  baseUrl: string;
  /** File that gets `{url, pid}` once the App listens. */
  readyFile?: string | undefined;
  /** Address to serve metrics on; none if absent. */
  metrics?: Address;
}

/**
 * Runs the App as its own process until the signal is aborted, then drains. Without an App from the
 * environment or an earlier set-up it serves only the pages on which one is created.
 */
export async function runApp(
  flags: AppFlags,
  environment: NodeJS.ProcessEnv,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const variables = withCredentials(flags.dataDir, environment);
  if (namesApp(variables)) await runSetUpApp(flags, variables, log, signal);
  else await runSetup(flags, log, signal);
}

async function runSetUpApp(
  flags: AppFlags,
  variables: Record<string, string | undefined>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { credentials, secrets, apiKey, settings } = readAppVariables(variables);
  // By themselves neither the client nor Octokit's fetch honours HTTPS_PROXY.
  setGlobalDispatcher(new EnvHttpProxyAgent());
  const tables = await openTables<AppTables>({
    location: flags.location,
    schema: 'app',
    migrations: appMigrations,
    log,
  });
  try {
    const client = createClient({ baseUrl: flags.baseUrl, apiKey, log });
    const github = connectGithub({ ...credentials, apiUrl: flags.githubApiUrl });
    await assertKeys(client, github);
    const app = createApp({
      tables,
      client,
      github,
      secrets,
      hide: [apiKey],
      settings,
      log,
    });
    const metrics = flags.metrics && (await serveMetrics([app.metrics.registry], flags.metrics));
    app.start();
    const serving = {
      onListening: (url: string) => log.info({ url, metrics: metrics?.url }, 'the App listens'),
      stop: () => app.stop(),
    };
    await closeInTurn(
      () => serveUntil(signal, flags, createAppListener(app), serving),
      () => metrics?.close(),
    );
  } finally {
    await tables.close();
  }
}

async function runSetup(flags: AppFlags, log: Logger, signal: AbortSignal): Promise<void> {
  const file = credentialsFile(flags.dataDir);
  const { githubApiUrl, baseUrl } = flags;
  // The service's pages and its API share an address, if that is the one that people use.
  const pagesUrl = isNear(baseUrl) ? undefined : baseUrl.replace(/\/(?:api\/v1\/?)?$/, '');
  const pagesAt = pagesUrl === undefined ? undefined : () => pagesUrl;
  const pages = openSetup({ githubApiUrl, file, pagesAt, log });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!(await pages.answer(request, response))) answerReason(response, 503, 'not_set_up');
  };
  const listener: RequestListener = (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
  await serveUntil(signal, flags, listener, {
    onListening: (url) =>
      log.warn(
        { url: url + pages.path, file },
        'APP_ID is not set: open this address, which works once, to create the App',
      ),
  });
}

/**
 * Listens until the signal is aborted, then finishes the requests under way and takes no new ones.
 */
async function serveUntil(
  signal: AbortSignal,
  flags: AppFlags,
  listener: RequestListener,
  { onListening, stop }: { onListening: (url: string) => void; stop?: () => Promise<void> },
): Promise<void> {
  const server = createServer(listener);
  const url = await listen(server, flags);
  onListening(url);
  if (flags.readyFile) {
    await writeFile(flags.readyFile, JSON.stringify({ url, pid: process.pid }));
  }
  await aborted(signal, server);
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await closeInTurn(
    () => stop?.(),
    () => server.closeAllConnections(),
    () => closed,
  );
}
