import { join } from 'node:path';
import type { Logger } from 'pino';
import { assertKeys } from '../../app/check-keys.ts';
import { connectGithub } from '../../app/connect-github.ts';
import { createApp, type App } from '../../app/create-app.ts';
import type { AppVariables } from '../../app/environment-variables.ts';
import type { AppSettings } from '../../app/context.ts';
import { appMigrations } from '../../app/store/migrations.ts';
import { createClient } from '../../client/client.ts';
import { openTables } from '../../database/open-database.ts';
import type { Service } from '../../service/create-service.ts';
import { createPersonalKey } from '../../service/keys/manage-keys.ts';
import { ensureKeyFile } from './key-file.ts';

export interface InnerAppOptions {
  appId: number;
  privateKey: string;
  /** Two during a rotation. */
  secrets: readonly string[];
  settings?: AppVariables['settings'] & Partial<Pick<AppSettings, 'editEveryMs' | 'lookEveryMs'>>;
  githubApiUrl: string;
  /** The team its runs belong to. */
  team: string;
}

/** The user in whose name the App inside `serve` starts runs. */
const APP_USER = 'github-app';

/** Starts the App beside its service, in the same database. */
export async function startInnerApp(
  service: Service,
  baseUrl: string,
  dataDir: string,
  options: InnerAppOptions,
  log: Logger,
): Promise<{ app: App; stop(): Promise<void>; close(): Promise<void> }> {
  const { appId, privateKey, secrets, githubApiUrl: apiUrl, team } = options;
  const appLog = log.child({ part: 'app' });
  const database = await openTables<unknown>({
    location: { url: service.context.database.url },
    schema: 'app',
    migrations: appMigrations,
    log: appLog,
  });
  const apiKey = await ensureKeyFile(join(dataDir, 'app.key'), service, () =>
    createPersonalKey(service.context.db, {
      team,
      user: APP_USER,
      name: 'the App of this service',
    }),
  );
  const client = createClient({ baseUrl, apiKey, log: appLog });
  const github = connectGithub({ appId, privateKey, apiUrl });
  await assertKeys(client, github);
  const app = createApp({
    tables: database,
    client,
    github,
    secrets,
    hide: [apiKey],
    ...(options.settings && { settings: options.settings }),
    log: appLog,
  });
  app.start();
  return { app, stop: () => app.stop(), close: () => database.close() };
}
