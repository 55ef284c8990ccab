import type { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMetrics } from '../../src/app/metrics.ts';
import { serveMetrics } from '../../src/base/serve-metrics.ts';
import { sweepLeases } from '../../src/service/sweep/sweep-leases.ts';
import { openBareService, type BareService } from '../support/bare-service.ts';

const ANY_PORT = { host: '127.0.0.1', port: 0 };
const WEB = { id: 'webwebwebwebwebwebwebw', name: 'web' };

let bare: BareService;
let registry: Registry;
beforeAll(async () => {
  bare = await openBareService({ environments: [WEB] });
  registry = await bare.service.metrics();
});
afterAll(() => bare.close());

async function read(): Promise<(name: string) => number | undefined> {
  const text = await registry.metrics();
  return (name) => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
}

const reached = async (state: string): Promise<number> =>
  (await read())(`runlink_run_changes_total{to="${state}"}`) ?? NaN;

describe('the metrics of a node', () => {
  it('say how many runs wait in each lane, for how long, and in which environment', async () => {
    const lane = '{team="default",worker_host=""}';
    const names = [
      `runlink_queue_waiting${lane}`,
      'runlink_queue_waiting{team="default",worker_host="gpu-box"}',
      'runlink_environment_waiting{environment="web"}',
      'runlink_environment_waiting{environment=""}',
      'runlink_runs{state="QUEUED"}',
    ];
    const before = await read();
    const none = [`runlink_queue_waiting${lane}`, `runlink_queue_oldest_seconds${lane}`];
    for (const name of [...none, 'runlink_environment_waiting{environment="web"}'])
      expect(before(name)).toBeTypeOf('number');
    await bare.create({ config: { environment_id: WEB.id } });
    const oldest = await bare.create({ config: { environment_id: WEB.id } });
    await bare.create();
    await bare.create({ config: { worker_host: 'gpu-box' } });
    await bare.service.context.database.pool.query(
      `update runs set queued_at = now() - interval '1 hour' where id = $1`,
      [oldest],
    );
    const value = await read();
    expect(names.map((name) => (value(name) ?? NaN) - (before(name) ?? 0))).toEqual([
      3, 1, 2, 1, 4,
    ]);
    expect(Math.round((value(`runlink_queue_oldest_seconds${lane}`) ?? 0) / 600)).toBe(6);
    expect(value('runlink_database_up')).toBe(1);
    expect(value('runlink_database_connections{pool="main",state="idle"}')).toBeGreaterThan(0);
    expect(value('runlink_database_waiting{pool="steady"}')).toBe(0);
  });

  it('count each change of state once, whichever statement makes it', async () => {
    const counts = async (): Promise<number[]> =>
      Promise.all(['PENDING', 'INPROGRESS', 'SUCCEEDED', 'CANCELLED', 'QUEUED'].map(reached));
    const before = await counts();
    const lease = await bare.claimed();
    const done = { state: 'SUCCEEDED', message: 'Done.', last_signal: 0 };
    expect((await bare.report(lease, 'complete', done)).status).toBe(200);
    await bare.report(lease, 'complete', done);
    await bare.ask('POST', `/agent/runs/${lease.run_id}/followups`, { body: { message: 'More.' } });
    const held = await bare.claimed({ begun: false });
    await bare.report(held, 'release', { reason: 'full' });
    const pooled = await bare.create();
    await bare.ask('POST', `/agent/runs/${pooled}/cancel`);
    expect((await counts()).map((count, index) => count - (before[index] ?? 0))).toEqual([
      2, 1, 1, 1, 2,
    ]);
  });

  it('count a lease that expired, once, by why', async () => {
    const lease = await bare.claimed();
    const name = 'runlink_leases_expired_total{reason="lost"}';
    const before = (await read())(name) ?? NaN;
    const { pool } = bare.service.context.database;
    await pool.query(
      `update runlink_jobs.job set heartbeat_on = now() - interval '1 hour', started_on = now() - interval '1 hour'
       where data ->> 'runId' = $1`,
      [lease.run_id],
    );
    await Promise.all([sweepLeases(bare.service.context), sweepLeases(bare.service.context)]);
    expect((await bare.run(lease.run_id)).state).toBe('ERROR');
    expect((await read())(name)).toBe(before + 1);
  });

  it('read open runs by their own indexes, however many have ended', async () => {
    const { pool } = bare.service.context.database;
    const client = await pool.connect();
    onTestFinished(() => client.release());
    const text = vi.spyOn(pool, 'query');
    await registry.metrics();
    const statements = text.mock.calls.map(([statement]) => statement);
    text.mockRestore();
    expect(statements).toHaveLength(2);
    await client.query('set enable_seqscan = off');
    for (const statement of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${statement}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/runs_(queued|claimed)/);
      expect(plan).not.toContain('Seq Scan on runs');
    }
  });

  it('are still shown while the database is away, and say that it is', async () => {
    const { pool } = bare.service.context.database;
    const gone = () => Promise.reject(new Error('away'));
    const source = { inbox: gone, outbox: gone, githubRemaining: () => [], runsByState: gone };
    const served = await serveMetrics([registry, createMetrics(source).registry], ANY_PORT);
    onTestFinished(() => served.close());
    const away = vi.spyOn(pool, 'query').mockRejectedValue(new Error('away'));
    onTestFinished(() => away.mockRestore());
    const text = await (await fetch(served.url)).text();
    expect(text).toContain('runlink_database_up 0\n');
    expect(text).toContain('runlink_run_changes_total{to="ERROR"} ');
    expect(text).not.toContain('runlink_runs{');
    expect(text).not.toContain('runlink_app_inbox_waiting');
    expect(text).toContain('runlink_app_acknowledge_seconds_count 0');
  });

  it('are served on a port of their own, with those of the process', async () => {
    const served = await serveMetrics([registry], ANY_PORT);
    onTestFinished(() => served.close());
    const answer = await fetch(served.url);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).toContain('runlink_held_requests 0');
    expect((await fetch(new URL('/', served.url))).status).toBe(404);
    const inTheWay = serveMetrics([], { ...ANY_PORT, port: Number(new URL(served.url).port) });
    await expect(inTheWay).rejects.toMatchObject({ code: 'cannot_listen' });
    expect((await bare.service.fetch(new Request('http://127.0.0.1/metrics'))).status).toBe(404);
  });
});
