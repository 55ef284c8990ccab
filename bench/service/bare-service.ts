import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PoolClient } from 'pg';
import { silentLog } from '../../src/base/log.ts';
import { openServiceDatabase } from '../../src/service/create-service.ts';
import { RUN_QUEUE } from '../../src/database/job-statements.ts';

/**
 * The five transactions of a run's life written bare: plain statements on the service's tables and
 * queue, prepared, behind plain HTTP routes. No keys, roles, checks, metadata, search, limits or
 * waking of those who wait; a claim that finds nothing answers at once. Prints where it listens.
 */
const [url = ''] = process.argv.slice(2);
const { pool, queue } = await openServiceDatabase({ url }, silentLog);
const TEAM = randomUUID();
await pool.query(`insert into teams values ($1, $2, now())`, [TEAM, `bare ${TEAM}`]);
const { rows } = await pool.query<{ id: number }>(
  `insert into lanes (team_id, worker_host) values ($1, '') returning id`,
  [TEAM],
);
const lane = rows[0]?.id ?? 0;

async function inTransaction<T>(act: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const answer = await act(client);
    await client.query('commit');
    return answer;
  } finally {
    client.release();
  }
}

const names = new Map<string, string>();
function run(client: PoolClient, text: string, values: unknown[]) {
  const name = names.get(text) ?? `bare_${names.size}`;
  names.set(text, name);
  return client.query<Record<string, unknown>>({ name, text, values });
}

const through = (client: PoolClient) => ({
  db: { executeSql: (text: string, values: unknown[] = []) => run(client, text, values) },
});

const log = (client: PoolClient, id: unknown, type: string) =>
  run(
    client,
    `insert into run_events (run_id, position, attempt, type, at, data)
     values ($1, $2, 1, 'lifecycle', now(), $3)`,
    [
      id,
      ['oz_run_created', 'oz_run_claimed', 'worker_container_ready'].indexOf(type) + 1 || 20,
      { event_type: type },
    ],
  );

interface Body {
  prompt: string;
  title: string;
  config: object;
  events: { seq: number; at: string; type: string }[];
}

const creates = (body: Body) =>
  inTransaction(async (client) => {
    const id = randomUUID();
    const job = randomUUID();
    await queue.send(RUN_QUEUE, { runId: id }, { id: job, priority: lane, ...through(client) });
    await run(
      client,
      `insert into runs (id, team_id, root_run_id, conversation_id, title, prompt, mode, state, created_at,
         updated_at, queued_at, source, execution_location, creator_uid, creator, executor_uid, executor,
         config, metadata, attachments, interactive, lane, job_id, log_position)
       values ($1, $2, $1, $1, $3, $4, 'normal', 'QUEUED', now(), now(), now(), 'API', 'REMOTE', 'u', '{}',
         'u', '{}', $5, '{}', '[]', false, $6, $7, 1)`,
      [id, TEAM, body.title, body.prompt, body.config, lane, job],
    );
    await run(client, `insert into run_texts values ($1, $2)`, [id, body.prompt]);
    await log(client, id, 'oz_run_created');
    return { run_id: id };
  });

const claims = () =>
  inTransaction(async (client) => {
    const options = { minPriority: lane, maxPriority: lane, ...through(client) };
    const [job] = await queue.fetch<{ runId: string }>(RUN_QUEUE, options);
    if (!job) return { lease: null };
    const token = `${job.id}:${randomBytes(24).toString('base64url')}`;
    const found = await run(
      client,
      `update runs set state = 'PENDING', updated_at = now(), attempt = 1, log_position = 2
       where id = $1 and state = 'QUEUED' returning *`,
      [job.data.runId],
    );
    await log(client, job.data.runId, 'oz_run_claimed');
    return { lease: { ...found.rows[0], run_id: job.data.runId, token } };
  });

const acknowledges = (id: string) =>
  inTransaction(async (client) => {
    await run(
      client,
      `update runs set state = 'INPROGRESS', updated_at = now(), started_at = now(), log_position = 3
       where id = $1 and state = 'PENDING'`,
      [id],
    );
    await log(client, id, 'worker_container_ready');
    return { state: 'INPROGRESS' };
  });

const appends = (id: string, { events }: Body) =>
  inTransaction(async (client) => {
    await run(
      client,
      `insert into run_events (run_id, position, attempt, seq, type, at, data)
       select $1, 3 + seq, 1, seq, type, at, data
       from jsonb_to_recordset($2) as line (seq integer, type text, at timestamptz, data jsonb)`,
      [id, JSON.stringify(events.map(({ seq, at, type, ...data }) => ({ seq, at, type, data })))],
    );
    await run(
      client,
      `update runs set log_position = log_position + $2, updated_at = now() where id = $1`,
      [id, events.length],
    );
    return { next_seq: events.length + 1 };
  });

const completes = (id: string, job: string) =>
  inTransaction(async (client) => {
    await queue.complete(RUN_QUEUE, job, null, through(client));
    await run(
      client,
      `update runs set state = 'SUCCEEDED', updated_at = now(), finished_at = now(), ended_attempt = 1,
         status_message = '{"message":"done"}' where id = $1 and state = 'INPROGRESS'`,
      [id],
    );
    await log(client, id, 'oz_run_done');
    return { ended: true };
  });

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
}

async function answer(request: IncomingMessage): Promise<object> {
  const body = await bodyOf(request);
  const [, id = '', step] = /^\/worker\/runs\/([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
  const [job = ''] = String(request.headers['x-runlink-lease']).split(':');
  if (request.url === '/agent/runs') return creates(body);
  if (request.url === '/worker/claim') return claims();
  if (step === 'acknowledge') return acknowledges(id);
  if (step === 'events') return appends(id, body);
  return completes(id, job);
}

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  void answer(request).then((value) => response.end(JSON.stringify(value)));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}`);
});

/**
 * The same without HTTP: so many lives one after another by each of so many at once, when asked on
 * stdin.
 */
process.stdin.on('data', (asked: Buffer) => {
  const { count, clients, body } = JSON.parse(asked.toString()) as {
    count: number;
    clients: number;
    body: Body;
  };
  let left = count;
  const began = performance.now();
  const lives = Array.from({ length: clients }, async () => {
    while (left > 0) {
      left -= 1;
      await creates(body);
      const { lease } = await claims();
      if (!lease) continue;
      await acknowledges(lease.run_id);
      await appends(lease.run_id, body);
      await completes(lease.run_id, lease.token.split(':')[0] ?? '');
    }
  });
  void Promise.all(lives).then(() =>
    console.log(((count / (performance.now() - began)) * 1000).toFixed(0)),
  );
});
