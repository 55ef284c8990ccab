import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Hono } from 'hono';
import { fromKysely } from 'pg-boss';
import { createRunRequest } from '../../src/contract/run.ts';
import { serveHttp } from '../../src/service/http/serve-http.ts';
import { laneOf } from '../../src/service/runs/life/run-queue.ts';
import { installLangGraph, startLangGraph } from './langgraph.ts';
import { startBenchServer, type BenchServer } from './server.ts';
import { ms, summarise } from './measure.ts';

/**
 * POST /agent/runs (run row, event, job: one durable transaction, which requests of the same moment
 * share) against the same work written bare: Hono, zod, the INSERTs and `boss.send` in one
 * transaction on the same tables and server, without keys, roles, idempotency, limits or waking
 * those who wait. With `--langgraph` also against the LangGraph development server, which keeps
 * what it accepts in memory.
 */
const COUNT = Number(process.argv[2] ?? 2000);
const ROUNDS = 3;
const CLIENTS = [1, 50];
const WARM_UP = { clients: 10, count: 300 };
const PROMPT = 'Please look at the flaky login test and change what is needed. '.repeat(5);
const BODY = { prompt: PROMPT, title: 'Fix the flaky login test', config: { name: 'nightly' } };
const LANGGRAPH_RUN = {
  assistant_id: 'agent',
  input: { prompt: PROMPT },
  metadata: { title: BODY.title, name: BODY.config.name },
};

interface Target {
  origin: string;
  steps: { path: string; body: unknown }[];
}

interface Load {
  times: number[];
  perSecond: number;
}

async function bareServer({ service }: BenchServer, teamId: string) {
  const { db, database } = service.context;
  const lane = await laneOf(service.context, teamId, '');
  const app = new Hono();
  app.post('/runs', async (context) => {
    const body = createRunRequest.parse(await context.req.json());
    const id = randomUUID();
    const jobId = randomUUID();
    const now = new Date();
    const person = JSON.stringify({ uid: 'u' });
    await db.transaction().execute(async (trx) => {
      await database.queue.send(
        'runs',
        { runId: id },
        { id: jobId, priority: lane, db: fromKysely(trx) },
      );
      await trx
        .insertInto('runs')
        .values({
          id,
          team_id: teamId,
          root_run_id: id,
          conversation_id: randomUUID(),
          title: body.title ?? '',
          prompt: body.prompt ?? '',
          mode: 'normal',
          state: 'QUEUED',
          created_at: now,
          updated_at: now,
          queued_at: now,
          source: 'API',
          execution_location: 'REMOTE',
          creator_uid: 'u',
          creator: person,
          executor_uid: 'u',
          executor: person,
          config: JSON.stringify(body.config),
          config_name: body.config?.name ?? null,
          metadata: '{}',
          attachments: '[]',
          interactive: false,
          lane,
          job_id: jobId,
          log_position: 1,
        })
        .execute();
      await trx
        .insertInto('run_texts')
        .values({ run_id: id, body: `${body.title ?? ''}\n\n${body.prompt ?? ''}` })
        .execute();
      await trx
        .insertInto('run_events')
        .values({
          run_id: id,
          position: 1,
          attempt: 1,
          type: 'lifecycle',
          at: now,
          data: '{"event_type":"oz_run_created"}',
        })
        .execute();
    });
    return context.json({ run_id: id });
  });
  return serveHttp(app.fetch, { host: '127.0.0.1', port: 0 });
}

async function load(
  { origin, steps }: Target,
  { clients, key = '', count = COUNT }: { clients: number; key?: string; count?: number },
): Promise<Load> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const worker = new Worker(new URL('load.ts', import.meta.url), {
    workerData: { origin, steps, headers, clients, count },
  });
  const [answer] = (await once(worker, 'message')) as [Load];
  return answer;
}

function report(name: string, clients: number, { times, perSecond }: Load): void {
  const { p50, p99 } = summarise(times);
  console.log(
    `${clients} clients, ${name}: ${perSecond.toFixed(0)}/s, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms`,
  );
}

const share = (own: number, other: number): string => `${((own / other) * 100).toFixed(0)} %`;

/** Service and bare in turns; answers the service's median. */
async function besideBare(
  targets: { service: Target; bare: Target },
  clients: number,
  key: string,
): Promise<number> {
  const rates = { service: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ['service', 'bare'] as const) {
      const done = await load(targets[name], { clients, key });
      rates[name].push(done.perSecond);
      report(name, clients, done);
    }
  const middle = (values: number[]): number => values.toSorted((a, b) => a - b)[1] ?? 0;
  const [own, other] = [middle(rates.service), middle(rates.bare)];
  console.log(
    `${clients} clients, median of ${ROUNDS}: ${own.toFixed(0)}/s of ${other.toFixed(0)}/s bare = ${share(own, other)}`,
  );
  return own;
}

/**
 * A run on a thread of its own, which can be read and continued like ours, and a run that leaves
 * nothing.
 */
const WAYS = {
  'thread and run': [
    { path: '/threads', body: {} },
    { path: '/threads/{thread_id}/runs', body: LANGGRAPH_RUN },
  ],
  'run without a thread': [{ path: '/runs', body: LANGGRAPH_RUN }],
};

/** Each with a server of its own, executing runs as by default or only taking them in. */
async function besideLangGraph(own: Map<number, number>): Promise<void> {
  const folder = await installLangGraph();
  for (const jobs of [10, 0])
    for (const [way, steps] of Object.entries(WAYS)) {
      const { origin, stop } = await startLangGraph(folder, jobs);
      const name = `LangGraph, ${way}, ${jobs} jobs at once`;
      await load({ origin, steps }, WARM_UP);
      for (const clients of CLIENTS) {
        const done = await load({ origin, steps }, { clients });
        report(name, clients, done);
        console.log(
          `${clients} clients: ${share(own.get(clients) ?? 0, done.perSecond)} of ${name}`,
        );
      }
      await stop();
    }
}

const server = await startBenchServer();
const { id: teamId } = await server.service.context.db
  .selectFrom('teams')
  .select('id')
  .executeTakeFirstOrThrow();
const bare = await bareServer(server, teamId);
const { origin, pathname } = new URL(`${server.baseUrl}/agent/runs`);
const targets = {
  service: { origin, steps: [{ path: pathname, body: BODY }] },
  bare: { origin: bare.url, steps: [{ path: '/runs', body: BODY }] },
};
await load(targets.service, { ...WARM_UP, key: server.key });
await load(targets.bare, WARM_UP);
const own = new Map<number, number>();
for (const clients of CLIENTS) own.set(clients, await besideBare(targets, clients, server.key));
await bare.close(0);
if (process.argv.includes('--langgraph')) await besideLangGraph(own);
await server.close();
