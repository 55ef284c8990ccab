import { silentLog } from '../../src/base/log.ts';
import { createService } from '../../src/service/create-service.ts';
import { serveHttp } from '../../src/service/http/serve-http.ts';
import { createBuiltInWorkerKey, createPersonalKey } from '../../src/service/keys/manage-keys.ts';

/**
 * The service as a process that can be killed, with its embedded database or on another one:
 * `serve-process.ts DIR [DATABASE_URL]`.
 */
const [, , dataDir = '', databaseUrl] = process.argv;
const service = await createService({
  database: databaseUrl === undefined ? { dataDir, role: 'owner' } : { url: databaseUrl },
  dataDir,
  publicUrl: () => 'http://127.0.0.1',
  variables: {},
  log: silentLog,
  graceMs: 0,
});
const { url } = await serveHttp((request) => service.fetch(request), {
  host: '127.0.0.1',
  port: 0,
});
await service.start();
const { db } = service.context;
const { key } = await createPersonalKey(db, { team: 'default', user: 'owner' });
const workerKey = (await createBuiltInWorkerKey(db)).key;
process.send?.({ url, key, workerKey });
