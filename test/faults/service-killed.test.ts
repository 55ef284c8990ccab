import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRunningServer } from '../../src/database/cluster.ts';
import { stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { programFile } from '../support/programs.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const ROUNDS = isLong ? 20 : 1;
const WITHIN_MS = isLong ? 20 * 60_000 : 60_000;
const CLIENTS = 8;
const ACKNOWLEDGED_BEFORE_KILL = isLong ? 200 : 40;

interface Served {
  url: string;
  key: string;
  workerKey: string;
}

let dataDir: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'runlink-killed-')), 'data');
});
afterAll(async () => {
  child?.kill('SIGKILL');
  const server = await findRunningServer(dataDir);
  if (server) await stopEmbeddedServer(server.pid);
  await rm(join(dataDir, '..'), { recursive: true, force: true });
});

async function serve(): Promise<Served> {
  child = fork(programFile('test/faults/serve-process.ts'), [dataDir], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [served] = (await once(child, 'message')) as [Served];
  return served;
}

function ask(served: Served, path: string, body?: unknown): Promise<Response> {
  return fetch(served.url + API_PREFIX + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Creates runs from several clients until the service is gone; answers the ids it confirmed. */
async function createUntilKilled(served: Served, kill: () => void): Promise<string[]> {
  const ids: string[] = [];
  async function client(): Promise<void> {
    for (;;) {
      try {
        const response = await ask(served, '/agent/runs', { prompt: 'x' });
        const { run_id: id } = (await response.json()) as { run_id: string };
        ids.push(id);
      } catch {
        return;
      }
      if (ids.length === ACKNOWLEDGED_BEFORE_KILL) kill();
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return ids;
}

async function killEverything(): Promise<void> {
  const server = await findRunningServer(dataDir);
  child?.kill('SIGKILL');
  if (server) process.kill(server.pid, 'SIGKILL');
}

async function countRuns(served: Served): Promise<number> {
  let total = 0;
  for (let cursor = ''; ;) {
    const response = await ask(served, `/agent/runs?limit=500${cursor}`);
    const page = (await response.json()) as {
      runs: unknown[];
      page_info: { next_cursor?: string };
    };
    total += page.runs.length;
    if (!page.page_info.next_cursor) return total;
    cursor = `&cursor=${encodeURIComponent(page.page_info.next_cursor)}`;
  }
}

describe('a service killed under load, its database with it', () => {
  it(
    'still has every run it confirmed, each with its job, and starts again by itself',
    async () => {
      const confirmed: string[] = [];
      let unconfirmed = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const served = await serve();
        const gone = child && once(child, 'exit');
        confirmed.push(...(await createUntilKilled(served, () => void killEverything())));
        await gone;
        unconfirmed += CLIENTS;
      }
      const served = await serve();
      const known = await Promise.all(
        confirmed.map(async (id) => (await ask(served, `/agent/runs/${id}`)).status),
      );
      expect(known.filter((status) => status !== 200)).toEqual([]);
      const total = await countRuns(served);
      expect(total).toBeGreaterThanOrEqual(confirmed.length);
      expect(total).toBeLessThanOrEqual(confirmed.length + unconfirmed);
      const claimed = await fetch(`${served.url}${API_PREFIX}/worker/claim`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${served.workerKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ worker_id: 'w', capacity: 1, harnesses: [] }),
      });
      expect(await claimed.json()).toMatchObject({ lease: { attempt: 1 } });
    },
    WITHIN_MS,
  );
});
