import { createServer } from 'node:http';
import { pino } from 'pino';
import { Probot } from 'probot';
import { connectGithub } from '../../src/app/connect-github.ts';
import { createApp } from '../../src/app/create-app.ts';
import { createAppListener } from '../../src/app/http/listener.ts';
import { appMigrations } from '../../src/app/store/migrations.ts';
import { createClient } from '../../src/client/client.ts';
import { openTables } from '../../src/database/open-database.ts';
import { listen } from './fakes.ts';

/** What the measured process is told on its command line. */
export interface ServerSettings {
  kind: 'probot' | 'runlink';
  secret: string;
  privateKey: string;
  databaseUrl: string;
  githubApiUrl: string;
  serviceUrl: string;
  /** Works the inbox off as well, instead of only taking deliveries in. */
  works: boolean;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as ServerSettings;
const log = pino({ level: 'warn' });

async function startProbot(): Promise<string> {
  const { privateKey, secret } = settings;
  const probot = new Probot({ appId: 1, privateKey, secret, log });
  await probot.load((app) => {
    app.on('issue_comment.created', () => {});
  });
  const middleware = await probot.getNodeMiddleware();
  return listen(createServer((request, response) => void middleware(request, response)));
}

async function startRunlink(): Promise<string> {
  const { privateKey, secret, databaseUrl, githubApiUrl: apiUrl, serviceUrl: baseUrl } = settings;
  const tables = await openTables<unknown>({
    location: { url: databaseUrl },
    schema: 'app',
    migrations: appMigrations,
    log,
  });
  const app = createApp({
    tables,
    client: createClient({ baseUrl, apiKey: 'bench' }),
    github: connectGithub({ appId: 1, privateKey, apiUrl }),
    secrets: [secret],
    log,
  });
  if (settings.works) app.start();
  return listen(createServer(createAppListener(app)));
}

const url = await (settings.kind === 'probot' ? startProbot() : startRunlink());
process.send?.({ url });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ ...process.memoryUsage(), cpuMs: (user + system) / 1000 });
});
process.on('disconnect', () => process.exit(0));
