import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { silentLog } from '../../src/base/log.ts';
import { openEmbedded } from '../../src/database/open-embedded.ts';
import { PRODUCT_FLAGS } from '../product-flags.ts';
import type { ServerSettings } from './server.ts';

const MB = 1024 * 1024;

/** What a process has used so far, and of its memory now. */
export interface Usage {
  cpuMs: number;
  rssMb: number;
  /** Taken for objects of JavaScript, and of that in use, garbage included. */
  heapMb: number;
  usedMb: number;
  /** Beside the heap: buffers. */
  externalMb: number;
}

export interface Measured {
  url: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Starts what is measured as a process of its own. */
export async function startMeasured(settings: ServerSettings): Promise<Measured> {
  const script = resolve(import.meta.dirname, 'server.ts');
  const execArgv = settings.kind === 'runlink' ? [...PRODUCT_FLAGS] : [];
  const child = fork(script, [JSON.stringify(settings)], { execArgv });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return {
    url,
    async usage() {
      child.send('usage');
      const [{ cpuMs, rss, heapTotal, heapUsed, external }] = (await once(child, 'message')) as [
        NodeJS.MemoryUsage & { cpuMs: number },
      ];
      return {
        cpuMs,
        rssMb: Math.round(rss / MB),
        heapMb: Math.round(heapTotal / MB),
        usedMb: Math.round(heapUsed / MB),
        externalMb: Math.round(external / MB),
      };
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** An empty database: on DATABASE_URL if that is set, else on an embedded PostgreSQL of its own. */
export async function useDatabase(): Promise<{
  url: string;
  query: Client;
  close(): Promise<void>;
}> {
  const own = process.env['DATABASE_URL'];
  const directory = await mkdtemp(join(tmpdir(), 'runlink-bench-'));
  const server = own
    ? undefined
    : await openEmbedded({ dataDir: directory, role: 'owner' }, silentLog);
  const base = own ?? server?.url ?? '';
  const admin = new Client({ connectionString: base });
  await admin.connect();
  const name = `bench_${process.pid}_${Date.now()}`;
  await admin.query(`create database ${name}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  const query = new Client({ connectionString: url.href });
  await query.connect();
  return {
    url: url.href,
    query,
    async close() {
      await query.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
      await server?.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
