import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sleep } from '../../src/base/time.ts';
import { ensureEmbeddedServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { prepareCliProcess, runCliCommand } from '../support/cli-process.ts';
import type { ClaimerOptions, Confirmed } from '../support/claimer-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const RUNS = 10_000;
const AT_ONCE = 20;
const WITHIN_MS = 20 * 60_000;
const CLAIMER = fileURLToPath(new URL('../support/claimer-process.ts', import.meta.url));

const ENDED = `
  select count(*)::int as runs,
    count(*) filter (where r.state in ('QUEUED', 'PENDING', 'INPROGRESS'))::int as working,
    count(*) filter (where r.state not in ('SUCCEEDED', 'ERROR'))::int as odd,
    count(*) filter (where endings <> 1)::int as doubled,
    count(*) filter (where jobs > 0)::int as orphaned
  from runlink.runs r
  cross join lateral (select count(*) as endings from runlink.run_events e where e.run_id = r.id
    and e.type = 'lifecycle' and e.data ->> 'event_type' in ('oz_run_done', 'oz_run_errored', 'oz_run_failed')) x
  left join lateral (select count(*) as jobs from runlink_jobs.job j where j.name = 'runs'
    and j.id = r.job_id and j.state < 'completed') y on true`;

describe.runIf(isLong)('two nodes and four workers on one PostgreSQL', () => {
  it(
    `lose, double and orphan none of ${RUNS} runs while PostgreSQL is killed, nodes are cut off and workers die`,
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'runlink-nodes-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const home = join(directory, 'database');
      let server = await ensureEmbeddedServer(home);
      onTestFinished(() => stopEmbeddedServer(server.pid));
      const { port } = server;
      const url = server.url.replace(/\/runlink$/, '/postgres');

      const nodes = await Promise.all(
        ['one', 'two'].map(async (name) => {
          const data = join(directory, name);
          const words = [
            'serve',
            '--no-worker',
            '--port',
            '0',
            '--data',
            data,
            '--database-url',
            url,
          ];
          const node = prepareCliProcess({ name, directory, words, env: { RUNLINK_LOG: 'error' } });
          onTestFinished(async () => void (await node.stop()));
          const { url: at } = await node.start();
          const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(at).port) });
          onTestFinished(() => proxy.close());
          return { proxy, api: `http://127.0.0.1:${proxy.port}/api/v1` };
        }),
      );
      const made = async (...words: string[]): Promise<string> =>
        (
          await runCliCommand([
            'keys',
            'create',
            '--database-url',
            url,
            '--team',
            'default',
            ...words,
          ])
        ).stdout.trim();
      const [key, workerKey] = [await made('--user', 'ada'), await made('--worker')];

      const confirmed: Confirmed[] = [];
      const children: ChildProcess[] = [];
      const over = new AbortController();
      let started = 0;
      const start = (slot: number): void => {
        if (over.signal.aborted) return;
        const options: ClaimerOptions = {
          baseUrl: nodes[slot % 2]?.api ?? '',
          key: workerKey,
          name: `worker-${started++}`,
          claimers: 4,
        };
        const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
        const child = fork(CLAIMER, [JSON.stringify(options)], { stdio: [...stdio] });
        children[slot] = child;
        child.on('message', (message) => confirmed.push(message as Confirmed));
        // One whose service was away ends, as a supervisor would see it, and is started again.
        child.once('exit', () => setTimeout(() => start(slot), 300));
      };
      for (let slot = 0; slot < 4; slot += 1) start(slot);
      const stop = (): void => {
        over.abort();
        for (const child of children) child.kill('SIGKILL');
      };
      onTestFinished(stop);

      /** Creates a run once, however often it has to be asked. */
      const create = async (number: number): Promise<void> => {
        for (let tries = 0; ; tries += 1) {
          const answer = await fetch(`${nodes[(number + tries) % 2]?.api}/agent/runs`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${key}`,
              'content-type': 'application/json',
              'idempotency-key': `run-${number}`,
            },
            body: JSON.stringify({ prompt: 'p' }),
          }).catch(() => undefined);
          if (answer?.ok) return;
          await sleep(200);
        }
      };
      const creating = Promise.all(
        Array.from({ length: AT_ONCE }, async (_, first) => {
          for (let number = first; number < RUNS; number += AT_ONCE) await create(number);
        }),
      );
      const breaking = (async () => {
        for (let round = 0; !over.signal.aborted; round += 1) {
          await sleep(8000, over.signal).catch(() => undefined);
          if (over.signal.aborted) return;
          if (round % 3 === 0 && round < 12) {
            process.kill(server.pid, 'SIGKILL');
            server = await ensureEmbeddedServer(home, { port });
          } else if (round % 3 === 1) {
            nodes[round % 2]?.proxy.cut();
            await sleep(3000);
            nodes[round % 2]?.proxy.mend();
          } else children[round % 4]?.kill('SIGKILL');
        }
      })();
      await creating;

      const ask = async () => {
        const client = new Client({ connectionString: url });
        await client.connect();
        try {
          return (await client.query(ENDED)).rows[0] as Record<string, number>;
        } finally {
          await client.end();
        }
      };
      await vi.waitFor(async () => expect((await ask())['working']).toBe(0), {
        timeout: WITHIN_MS,
        interval: 2000,
      });
      stop();
      await breaking;
      expect(await ask()).toEqual({ runs: RUNS, working: 0, odd: 0, doubled: 0, orphaned: 0 });
      expect(new Set(confirmed.map(({ runId }) => runId)).size).toBeGreaterThan(RUNS / 2);
    },
    WITHIN_MS,
  );
});
