import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { createService, type Service } from '../../src/service/create-service.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { serveHttp } from '../../src/service/http/serve-http.ts';
import { createBuiltInWorkerKey, createPersonalKey } from '../../src/service/keys/manage-keys.ts';

/** A service as `runlink serve` makes it, on its embedded database with its usual settings. */
export interface BenchServer {
  baseUrl: string;
  key: string;
  workerKey: string;
  service: Service;
  close(): Promise<void>;
}

/** Starts on a new data directory, or on one that is kept. */
export async function startBenchServer(keptDir?: string): Promise<BenchServer> {
  const dataDir = keptDir ?? (await mkdtemp(join(tmpdir(), 'runlink-bench-')));
  const place = { url: '' };
  const service = await createService({
    database: { dataDir, role: 'owner' },
    dataDir,
    publicUrl: () => place.url,
    variables: {},
    log: silentLog,
  });
  const listening = await serveHttp((request) => service.fetch(request), {
    host: '127.0.0.1',
    port: 0,
  });
  place.url = listening.url;
  await service.start();
  const { db } = service.context;
  return {
    baseUrl: listening.url + API_PREFIX,
    key: (await createPersonalKey(db, { team: 'default', user: 'owner' })).key,
    workerKey: (await createBuiltInWorkerKey(db)).key,
    service,
    async close() {
      service.endWaits();
      await listening.close(0);
      await service.stop();
      if (keptDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
