import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { silentLog } from '../../src/base/log.ts';
import { sleep } from '../../src/base/time.ts';
import { ensureEmbeddedServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { openServiceTables } from '../../src/service/create-service.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { createBuiltInWorkerKey, createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { NEW_RUN_COLUMNS } from '../../src/service/runs/create/new-run.ts';
import { installLangGraph, startLangGraph } from './langgraph.ts';
import { liveAlone, liveLives, sayEvents, type Lives, type Place } from './lives.ts';
import { ms, summarise } from './measure.ts';
import { cpuOf, cpuOfDatabase, startNode, stopNode, type Node } from './node.ts';

/**
 * Whole lives of runs over HTTP: create, claim, acknowledge, events, complete; `serve` in processes
 * of its own, PostgreSQL durable, this process the clients. Beside it the same transactions written
 * bare (bare-service.ts).
 */
const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
    /** Runs that wait already; the queue stays so long. */
    queued: { type: 'string', default: '100' },
    /** `serve` processes on the one database. */
    nodes: { type: 'string', default: '1' },
    workers: { type: 'string', default: '10' },
    creators: { type: 'string', default: '20' },
    /** Leave out what is measured beside the service. */
    only: { type: 'boolean', default: false },
    /** Measure the LangGraph development server too; needs npm's registry. */
    langgraph: { type: 'boolean', default: false },
    /** Where to put a CPU profile of each node. */
    profile: { type: 'string' },
    statements: { type: 'boolean', default: false },
  },
});
const COUNT = Number(options.count);
const LANGGRAPH_COUNT = 400;
const TABLES = [
  'runs',
  'run_texts',
  'run_metadata',
  'run_events',
  'executions',
  'api_keys',
  'runlink_jobs.job_common',
];

const folder = await mkdtemp(join(tmpdir(), 'runlink-bench-'));
const database = await ensureEmbeddedServer(join(folder, 'data'), {
  settings: { shared_preload_libraries: 'pg_stat_statements' },
});
const url = new URL(database.url);
url.pathname = '/postgres';
const sql = new Client({ connectionString: url.href, options: '-c search_path=runlink,public' });

async function startBare(): Promise<Node & { ask: (what: object) => Promise<string> }> {
  const child = spawn(process.execPath, ['bench/service/bare-service.ts', url.href], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  return {
    process: child,
    origin: await next(),
    ask: (what) => {
      child.stdin.write(JSON.stringify(what));
      return next();
    },
  };
}

/** Everything that is counted, at one moment. */
async function counters(nodes: readonly Node[]): Promise<Record<string, number>> {
  const { rows } = await sql.query<Record<string, number>>(`
    select (select sum(calls)::float8 from pg_stat_statements where query !~* '^(begin|commit|rollback)') as statements,
      (select sum(calls)::float8 from pg_stat_statements where query ~* '^(begin|commit|rollback)') as brackets,
      (select sum(wal_bytes)::float8 from pg_stat_statements) as wal,
      (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits`);
  const times = await Promise.all(nodes.map(({ process: { pid = 0 } }) => cpuOf(pid)));
  return {
    ...rows[0],
    service: times.reduce((sum, time) => sum + time, 0),
    postgres: await cpuOfDatabase(database.pid),
    clients: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  };
}

async function measured(name: string, nodes: readonly Node[], act: () => Promise<Lives>) {
  await sql.query('select pg_stat_statements_reset()');
  const before = await counters(nodes);
  const { perSecond, times } = await act();
  await sleep(1100); // Backends tell their counts once a second.
  const after = await counters(nodes);
  const { count, p50, p99 } = summarise(times);
  const each = (key: string): string =>
    (((after[key] ?? 0) - (before[key] ?? 0)) / count).toFixed(2);
  console.log(
    `${name}: ${perSecond.toFixed(0)}/s, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms; a life: ` +
      `CPU ms service ${each('service')}, PostgreSQL ${each('postgres')}, clients ${each('clients')}; ` +
      `${each('statements')} statements, ${each('brackets')} begin/commit, ${each('commits')} commits, ` +
      `${(Number(each('wal')) / 1000).toFixed(1)} kB WAL (load ${loadavg()[0]?.toFixed(1)})`,
  );
  return perSecond;
}

/** Copies one waiting run, with its job, so often. */
async function queueMore(origin: string, key: string, count: number): Promise<void> {
  if (count < 1) return;
  const answer = await fetch(`${origin}${API_PREFIX}/agent/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'Wait.', title: 'Waiting' }),
  });
  const { run_id: id } = (await answer.json()) as { run_id: string };
  const columns = Object.keys(NEW_RUN_COLUMNS).join(', ');
  await sql.query(
    'create temporary table more as select gen_random_uuid() as id, gen_random_uuid() as job from generate_series(2, $1::int)',
    [count],
  );
  await sql.query(
    `insert into runs (${columns}, created_at, updated_at, queued_at)
     select ${columns}, created_at, updated_at, queued_at from (
       select (jsonb_populate_record(r, jsonb_build_object('id', m.id, 'root_run_id', m.id, 'job_id', m.job))).*
       from runs r, more m where r.id = $1) copies`,
    [id],
  );
  await sql.query(
    `insert into runlink_jobs.job
     select (jsonb_populate_record(j, jsonb_build_object('id', m.job, 'data', jsonb_build_object('runId', m.id)))).*
     from runlink_jobs.job j, more m where j.data ->> 'runId' = $1::text`,
    [id],
  );
  await sql.query('drop table more');
  await sql.query('vacuum analyze runs');
  await sql.query('vacuum analyze runlink_jobs.job');
}

const flags = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
const nodes: Node[] = [];
for (let index = 0; index < Number(options.nodes); index += 1)
  nodes.push(await startNode({ folder, url: url.href, name: `node-${index}`, flags }));
const bare = await startBare();
await sql.connect();
await sql.query('create extension if not exists pg_stat_statements');
const tables = await openServiceTables({ url: url.href }, silentLog);
const place: Place = {
  origins: nodes.map(({ origin }) => origin),
  prefix: API_PREFIX,
  key: (await createPersonalKey(tables.kysely, { team: 'default', user: 'owner' })).key,
  workerKey: (await createBuiltInWorkerKey(tables.kysely)).key,
};
await tables.close();
const barePlace: Place = { origins: [bare.origin], prefix: '', key: '', workerKey: '' };
await queueMore(nodes[0]?.origin ?? '', place.key, Number(options.queued));

const many = { creators: Number(options.creators), workers: Number(options.workers), count: COUNT };
const few = { ...many, count: 300 };
await liveLives(place, few);
if (!options.only) await liveLives(barePlace, few);
const title = `${many.workers} workers, ${many.creators} creators, ${options.queued} queued, ${options.nodes} serve`;
console.log(title);
for (let round = 0; round < Number(options.rounds); round += 1) {
  await measured('service', nodes, () => liveLives(place, many));
  if (options.statements) await showStatements();
  if (options.only) continue;
  await measured('bare over HTTP', [bare], () => liveLives(barePlace, many));
  const prompt = 'Please look at the flaky login test and change what is needed. '.repeat(5);
  const at = new Date().toISOString();
  const events = Array.from({ length: 6 }, (_, index) => ({
    seq: index + 1,
    at,
    type: 'message',
    delta: 'I look.',
  }));
  const body = { prompt, title: 'Fix', config: {}, events };
  console.log(
    `bare without HTTP: ${await bare.ask({ count: COUNT, clients: many.workers, body })} lives/s`,
  );
}
const say = { workers: many.workers, batches: 100 };
await measured('events, in batches of 100 (here "a life" is a batch)', nodes, () =>
  sayEvents(place, say),
);
console.log('one client');
for (let round = 0; round < Number(options.rounds); round += 1) {
  await measured('service', nodes, () => liveAlone(place, 500));
  if (!options.only) await measured('bare over HTTP', [bare], () => liveAlone(barePlace, 500));
}

if (options.langgraph) await besideLangGraph();

/** A thread and a run that is waited for: its whole life, in memory, its agent an empty graph. */
async function besideLangGraph(): Promise<void> {
  const { origin, stop } = await startLangGraph(await installLangGraph(), many.workers);
  const steps = [
    { path: '/threads', body: {} },
    { path: '/threads/{thread_id}/runs/wait', body: { assistant_id: 'agent', input: {} } },
  ];
  const headers = { 'content-type': 'application/json' };
  const workerData = { origin, steps, headers, clients: many.creators, count: LANGGRAPH_COUNT };
  const worker = new Worker(new URL('load.ts', import.meta.url), { workerData });
  const [{ times, perSecond }] = (await once(worker, 'message')) as [Lives];
  const { p50, p99 } = summarise(times);
  console.log(
    `LangGraph, thread and runs/wait, ${many.creators} clients: ${perSecond.toFixed(0)}/s, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms (load ${loadavg()[0]?.toFixed(1)})`,
  );
  await stop();
}

async function showStatements(): Promise<void> {
  const { rows } = await sql.query<{ calls: string; ms: number; wal: number; query: string }>(
    `select calls, total_exec_time as ms, wal_bytes::float8 as wal, query from pg_stat_statements order by total_exec_time desc limit 24`,
  );
  for (const { calls, ms: total, wal, query } of rows)
    console.log(
      `${calls.padStart(7)} ${total.toFixed(0).padStart(6)} ms ${(wal / 1000).toFixed(0).padStart(7)} kB ${query.replaceAll(/\s+/g, ' ').trim().slice(0, 110)}`,
    );
}

await showSizes('on disk with its indexes');
for (const table of TABLES) await sql.query(`vacuum full ${table}`);
await showSizes('the same without the room that is used again');

/** Kilobytes for each run there is, and for each event of the log. */
async function showSizes(what: string): Promise<void> {
  const { rows } = await sql.query<{ name: string; kb: number; each: number }>(
    `select t as name, pg_total_relation_size(t::regclass)::float8 / 1000 / (select count(*) from runs) as kb,
       pg_total_relation_size(t::regclass)::float8 / 1000 / (select count(*) from run_events) as each
     from unnest($1::text[]) t`,
    [TABLES],
  );
  const tables = rows.map(({ name, kb }) => `${name} ${kb.toFixed(1)}`);
  const event = rows.find(({ name }) => name === 'run_events')?.each ?? 0;
  console.log(`${what}, kB a run: ${tables.join(', ')}; an event ${event.toFixed(2)}`);
}

await sql.end();
for (const node of [...nodes, bare]) await stopNode(node);
await stopEmbeddedServer(database.pid);
await rm(folder, { recursive: true, force: true });
