import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import {
  startServing,
  type ServeOptions,
  type Serving,
} from '../../src/cli/serve/start-serving.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';
import { createTestDatabase } from './database.ts';

export interface ServedPages {
  serving: Serving;
  ownerKey: string;
  close(): Promise<void>;
}

/** A whole service with its pages, in a database and on a port of its own. */
export async function servePages(
  config: Record<string, unknown> = {},
  options: Partial<ServeOptions> = {},
): Promise<ServedPages> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'runlink-pages-'));
  const serving = await startServing({
    host: '127.0.0.1',
    port: 0,
    database: { url: database.url },
    dataDir,
    config: operatorConfig.parse(config),
    variables: {},
    log: pino({ level: 'silent' }),
    ...options,
  });
  return {
    serving,
    ownerKey: (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim(),
    async close() {
      await serving.close(0);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
