import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Hono } from 'hono';
import { fromKysely } from 'pg-boss';
import { createRunRequest } from '../../src/contract/run.ts';
import { listen } from '../../src/service/http/listen.ts';
import { laneOf } from '../../src/service/runs/run-queue.ts';
import { startBenchServer, type BenchServer } from './server.ts';
import { ms, summarise } from './measure.ts';

/**
 * POST /agent/runs (run row, event, job: one durable transaction) against the same work written
 * bare: Hono, zod, three INSERTs and `boss.send` in one transaction on the same tables and server,
 * without keys, roles, idempotency, limits or waking those who wait.
 */
const COUNT = Number(process.argv[2] ?? 2000);
const ROUNDS = 3;
const BODY = JSON.stringify({
  prompt: 'Please look at the flaky login test and change what is needed. '.repeat(5),
  title: 'Fix the flaky login test',
  config: { name: 'nightly' },
});

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
          search_text: `${body.title ?? ''}\n\n${body.prompt ?? ''}`,
          lane,
          job_id: jobId,
          log_position: 1,
        })
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
  return listen(app.fetch, { host: '127.0.0.1', port: 0 });
}

async function load(url: URL, key: string, clients: number): Promise<Load> {
  const worker = new Worker(new URL('load.ts', import.meta.url), {
    workerData: {
      origin: url.origin,
      path: url.pathname,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: BODY,
      clients,
      count: COUNT,
    },
  });
  const [answer] = (await once(worker, 'message')) as [Load];
  return answer;
}

const server = await startBenchServer();
const { id: teamId } = await server.service.context.db
  .selectFrom('teams')
  .select('id')
  .executeTakeFirstOrThrow();
const bare = await bareServer(server, teamId);
const targets = {
  service: new URL(`${server.baseUrl}/agent/runs`),
  bare: new URL(`${bare.url}/runs`),
};
await load(targets.service, server.key, 10);
for (const clients of [1, 50]) {
  const best: Record<string, number[]> = { service: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, url] of Object.entries(targets)) {
      const { times, perSecond } = await load(url, server.key, clients);
      best[name]?.push(perSecond);
      const { p50, p99 } = summarise(times);
      console.log(
        `${clients} clients, ${name}: ${perSecond.toFixed(0)}/s, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms`,
      );
    }
  const middle = (values: number[] = []): number => values.toSorted((a, b) => a - b)[1] ?? 0;
  const [own, other] = [middle(best['service']), middle(best['bare'])];
  console.log(
    `${clients} clients, median of ${ROUNDS}: ${own.toFixed(0)}/s of ${other.toFixed(0)}/s bare = ${((own / other) * 100).toFixed(0)} %`,
  );
}
await bare.close(0);
await server.close();
