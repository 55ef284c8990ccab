import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sleep } from '../../src/base/time.ts';
import { ensureEmbeddedServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { as, comment, commentsOn } from '../support/app.ts';
import { prepareCliProcess, runCliCommand, type CliProcess } from '../support/cli-process.ts';
import type { ClaimerOptions, Confirmed } from '../support/claimer-process.ts';
import { programFile } from '../support/programs.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { startStandIn } from '../support/standin.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { FAKE_HARNESSES, script } from '../support/worker-remote.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const RUNS = Number(process.env['RUNLINK_TEST_RUNS'] ?? 10_000);
/** Each so many runs one has a real worker and a process of an agent. */
const REAL_EVERY = 50;
/** Commands on GitHub, each on an issue of its own. */
const COMMANDS = 20;
const AT_ONCE = 20;
/** So many at most, spread over the runs. */
const FAULTS = 40;
const WITHIN_MS = 40 * 60_000;
const CLAIMER = programFile('test/support/claimer-process.ts');

/** What a run is asked for: most are ended by claimers, some by a real agent in a real worker. */
const wished = (number: number): object =>
  number % REAL_EVERY === 0
    ? { prompt: script({ say: 'Done.' }), config: { harness: { type: 'fake' } } }
    : { prompt: 'p', config: { harness: { type: 'plain' } } };

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

/** Two nodes, each behind a proxy that cuts it off. */
async function startNodes(directory: string, url: string) {
  const config = join(directory, 'runlink.yaml');
  // Runs of "plain" are for the claimers; no worker has its program.
  const plain = { ...FAKE_HARNESSES.fake, command: ['/nonexistent'] };
  const harnesses = { ...FAKE_HARNESSES, plain };
  await writeFile(config, JSON.stringify({ harnesses, default_harness: 'fake' }));
  return Promise.all(
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
        '--config',
        config,
      ];
      const node = prepareCliProcess({ name, directory, words, env: { RUNLINK_LOG: 'error' } });
      onTestFinished(async () => void (await node.stop()));
      const { url: at } = await node.start();
      const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(at).port) });
      onTestFinished(() => proxy.close());
      return { proxy, api: `http://127.0.0.1:${proxy.port}/api/v1` };
    }),
  );
}

/** Workers as an operator starts them, with a real agent. */
async function startWorkers(directory: string, apis: string[], key: string): Promise<CliProcess[]> {
  const workers = [0, 1, 2, 3].map((slot) => {
    const data = join(directory, `worker-${slot}`);
    const at = ['--base-url', apis[slot % 2] ?? '', '--data', data];
    return prepareCliProcess({
      name: `worker-${slot}`,
      directory,
      words: ['worker', ...at, '--sandbox', 'direct', '--capacity', '2'],
      env: { RUNLINK_API_KEY: key, RUNLINK_LOG: 'info' },
      readyText: 'worker started',
    });
  });
  await Promise.all(workers.map((worker) => worker.start()));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  return workers;
}

/** The App in a process of its own beside the stand-in, and who asks it there. */
async function startApp(databaseUrl: string, api: string, serviceKey: string) {
  const github = await startStandIn();
  const { owner, name: repo } = github.repository;
  const start = async (): Promise<Replica> => {
    const started = await startReplica({
      databaseUrl,
      githubApiUrl: github.apiUrl,
      serviceUrl: api,
      serviceKey,
      appId: github.app.id,
      privateKey: github.app.privateKey,
      secret: github.app.webhookSecret,
    });
    github.setWebhookUrl(started.webhookUrl);
    return started;
  };
  let replica = await start();
  const threads: number[] = [];
  const command = async (): Promise<void> => {
    const { data } = await as(github, github.maintainer).request(
      'POST /repos/{owner}/{repo}/issues',
      { owner, repo, title: 'One more' },
    );
    threads.push(data.number);
    await comment(github, github.maintainer, '/agent fix it', data.number);
  };
  const said = async (thread: number): Promise<string[]> =>
    (await commentsOn(github, thread))
      .filter(({ author }) => author === github.app.botLogin)
      .map(({ body }) => /`(SUCCEEDED|ERROR)`/.exec(body)?.[1] ?? body);
  const restart = async (): Promise<void> => {
    await replica.kill();
    replica = await start();
  };
  return { app: { restart }, threads, command, said };
}

describe.runIf(isLong)('two nodes, workers and an App on one PostgreSQL', () => {
  it(
    `lose, double and orphan none of ${RUNS} runs while PostgreSQL is killed, nodes are cut off, workers and the App die`,
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'runlink-nodes-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const home = join(directory, 'database');
      let server = await ensureEmbeddedServer(home);
      onTestFinished(() => stopEmbeddedServer(server.pid));
      const { port } = server;
      const url = server.url.replace(/\/runlink$/, '/postgres');

      const nodes = await startNodes(directory, url);
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
          harnesses: ['plain'],
        };
        const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
        const child = fork(CLAIMER, [JSON.stringify(options)], { stdio: [...stdio] });
        children[slot] = child;
        child.on('message', (message) => confirmed.push(message as Confirmed));
        // One whose service was away ends, as a supervisor would see it, and is started again.
        child.once('exit', () => setTimeout(() => start(slot), 300));
      };
      for (let slot = 0; slot < 4; slot += 1) start(slot);
      const apis = nodes.map(({ api }) => api);
      const workers = await startWorkers(directory, apis, workerKey);
      const { app, threads, command, said } = await startApp(url, apis[0] ?? '', key);
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
            body: JSON.stringify(wished(number)),
          }).catch(() => undefined);
          if (answer?.ok && number % Math.ceil(RUNS / COMMANDS) === 0) await command();
          if (answer?.ok) return;
          await sleep(200);
        }
      };
      const creating = Promise.all(
        Array.from({ length: AT_ONCE }, async (_, first) => {
          for (let number = first; number < RUNS; number += AT_ONCE) await create(number);
        }),
      );
      const until = async (holds: () => boolean): Promise<void> => {
        while (!holds() && !over.signal.aborted) await sleep(100);
      };
      const breaking = (async () => {
        for (let round = 0; !over.signal.aborted; round += 1) {
          const before = confirmed.length;
          await until(() => confirmed.length >= before + RUNS / FAULTS);
          if (over.signal.aborted) return;
          if (round % 3 === 0 && round < 12) {
            process.kill(server.pid, 'SIGKILL');
            server = await ensureEmbeddedServer(home, { port });
          } else if (round % 3 === 1) {
            const slot = round % 2;
            const claimer = children[slot];
            nodes[slot]?.proxy.cut();
            // Until a claimer there has noticed, and another was started in its place.
            await until(() => children[slot] !== claimer);
            nodes[slot]?.proxy.mend();
          } else {
            children[round % 4]?.kill('SIGKILL');
            await workers[round % 4]?.kill();
            await workers[round % 4]?.start();
            if (over.signal.aborted) return;
            await app.restart();
          }
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
      for (const thread of threads)
        await vi.waitFor(
          async () => expect(await said(thread)).toEqual([expect.stringMatching(/^(SUCC|ERR)/)]),
          { timeout: 120_000, interval: 1000 },
        );
      stop();
      await breaking;
      const runs = RUNS + threads.length;
      expect(threads).toHaveLength(COMMANDS);
      expect(await ask()).toEqual({ runs, working: 0, odd: 0, doubled: 0, orphaned: 0 });
      expect(new Set(confirmed.map(({ runId }) => runId)).size).toBeGreaterThan(RUNS / 2);
    },
    WITHIN_MS,
  );
});
