import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createClient } from '../client/client.ts';
import { openTables, type DatabaseLocation } from '../database/open-database.ts';
import { connectGithub } from './connect-github.ts';
import { createApp, type App } from './create-app.ts';
import { readAppVariables } from './environment-variables.ts';
import { createListener } from './http/listener.ts';
import { appMigrations } from './store/migrations.ts';

export interface AppFlags {
  host: string;
  port: number;
  location: DatabaseLocation;
  githubApiUrl: string;
  /** The run service's API, with its version segment. */
  baseUrl: string;
  /** Gets `{url, pid}` when the App listens. */
  readyFile?: string | undefined;
}

/** Runs the App as a process of its own until the signal is aborted, then drains. */
export async function runApp(
  flags: AppFlags,
  variables: NodeJS.ProcessEnv,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { credentials, secrets, apiKey } = readAppVariables(variables);
  const database = await openTables<unknown>({
    location: flags.location,
    schema: 'app',
    migrations: appMigrations,
    log,
  });
  const github = connectGithub({ ...credentials, apiUrl: flags.githubApiUrl }, log);
  const app = createApp({
    db: database.kysely,
    client: createClient({ baseUrl: flags.baseUrl, apiKey, log }),
    github,
    secrets,
    log,
  });
  const server = await listen(createServer(createListener(app)), flags);
  app.start();
  const { port } = server.address() as AddressInfo;
  const url = `http://${flags.host}:${port}`;
  log.info({ url }, 'the App listens');
  if (flags.readyFile) {
    await writeFile(flags.readyFile, JSON.stringify({ url, pid: process.pid }));
  }
  await aborted(signal);
  await close(server, app);
  await database.close();
}

function listen(server: Server, { host, port }: AppFlags): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Answers what is under way, takes nothing new. */
async function close(server: Server, app: App): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await app.stop();
  server.closeAllConnections();
  await closed;
}
