import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectGithub } from '../../src/app/connect-github.ts';
import { createApp } from '../../src/app/create-app.ts';
import { createAppListener } from '../../src/app/http/listener.ts';
import { appMigrations } from '../../src/app/store/migrations.ts';
import { createClient } from '../../src/client/client.ts';
import { openTables } from '../../src/database/open-database.ts';
import { testLog } from './test-log.ts';

/** What a replica in a process of its own is told on its command line. */
export interface ReplicaSettings {
  databaseUrl: string;
  githubApiUrl: string;
  serviceUrl: string;
  /** Of a service that looks at it. */
  serviceKey?: string;
  appId: number;
  privateKey: string;
  secret: string;
}

/** A replica of the App that may be killed at any time; sends its address to the parent. */
const settings = JSON.parse(process.argv[2] ?? '{}') as ReplicaSettings;
const { appId, privateKey, githubApiUrl: apiUrl } = settings;
const tables = await openTables<unknown>({
  location: { url: settings.databaseUrl },
  schema: 'app',
  migrations: appMigrations,
  log: testLog,
});
const app = createApp({
  tables,
  client: createClient({ baseUrl: settings.serviceUrl, apiKey: settings.serviceKey ?? 'test-key' }),
  github: connectGithub({ appId, privateKey, apiUrl }),
  secrets: [settings.secret],
  log: testLog,
  windows: [],
  leaseMs: 1000,
  recoverEveryMs: 1000,
  sweepEveryMs: 2000,
});
const server = createServer(createAppListener(app));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
app.start();
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
process.on('disconnect', () => process.exit(0));
