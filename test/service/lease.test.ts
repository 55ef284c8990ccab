import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Problem } from '../../src/contract/problem.ts';
import type { Lease, Signal } from '../../src/contract/lease.ts';
import { keepLongRuns } from '../../src/service/sweep/keep-long-runs.ts';
import { RUN_QUEUE } from '../../src/database/job-statements.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;
let workerKey: string;
let key: string;

beforeAll(async () => {
  ({ service, runs, workerKey, key } = await startDriver(startTestService));
});
afterAll(() => service.close());

/** Lets a lease look as old as if its worker had been silent for so long. */
async function age(runId: string, seconds: number): Promise<void> {
  await service.service.context.database.pool.query(
    `update runlink_jobs.job set heartbeat_on = now() - $2 * interval '1 s', started_on = now() - $2 * interval '1 s'
     where name = $3 and data ->> 'runId' = $1 and state = 'active'`,
    [runId, seconds, RUN_QUEUE],
  );
}

const event = (seq: number, text = `event ${seq}`) => ({
  seq,
  at: new Date().toISOString(),
  type: 'notice',
  level: 'info',
  text,
});

describe('a claim', () => {
  it('gives each run to one worker only, whoever asks at once', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => runs.create()));
    const leases = await Promise.all(
      Array.from({ length: 20 }, (_, index) => runs.claim({ workerId: `w${index}` })),
    );
    const claimed = leases.filter((lease) => lease !== null).map((lease) => lease.run_id);
    expect(claimed.toSorted()).toEqual(ids.toSorted());
    for (const lease of leases) {
      if (!lease) continue;
      await runs.report(lease, 'acknowledge');
      await runs.complete(lease, 'SUCCEEDED');
    }
  });

  it('waits for a run where asked, and takes it the moment it is there', async () => {
    const waiting = service.request('POST', '/worker/claim', {
      key: workerKey,
      body: { worker_id: 'w', capacity: 1, harnesses: [] },
      headers: { prefer: 'wait=20' },
    });
    const id = await runs.create();
    const response = await waiting;
    expect(response.headers.get('preference-applied')).toBe('wait=20');
    const { lease } = (await response.json()) as { lease: Lease };
    expect(lease.run_id).toBe(id);
    await runs.report(lease, 'acknowledge');
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('takes nothing for a worker without capacity', async () => {
    await runs.create();
    const response = await service.request('POST', '/worker/claim', {
      key: workerKey,
      body: { worker_id: 'w', capacity: 0, harnesses: [] },
    });
    expect(await response.json()).toEqual({ lease: null });
    await runs.complete(await runs.begin(), 'SUCCEEDED');
  });

  it('is refused to a person’s key', async () => {
    const response = await service.request('POST', '/worker/claim', {
      key,
      body: { worker_id: 'w', capacity: 1, harnesses: [] },
    });
    expect(response.status).toBe(403);
  });

  it('by a team’s worker takes that team’s runs alone; by a host’s worker, that host’s alone', async () => {
    const mine = await service.workerKey('default');
    const others = await service.workerKey('others');
    const pool = await runs.create();
    const hosted = await runs.create({ config: { worker_host: 'rack-1' } });
    expect(await runs.claim({ key: others })).toBeNull();
    expect(await runs.claim({ key: mine, host: 'rack-2' })).toBeNull();
    expect((await runs.claim({ key: mine, host: 'rack-1' }))?.run_id).toBe(hosted);
    const lease = await runs.claim({ key: mine });
    expect(lease?.run_id).toBe(pool);
    if (lease) await runs.complete(lease, 'SUCCEEDED');
  });
});

describe('a lease (run-lifecycle.md, "Leases")', () => {
  it('that is given back puts its run in the queue again', async () => {
    const id = await runs.create();
    const lease = await runs.claim();
    if (!lease) throw new Error('no lease');
    const released = await runs.report(lease, 'release', { reason: 'no such profile' });
    expect(released.body).toEqual({ state: 'QUEUED' });
    const again = await runs.begin();
    expect([again.run_id, again.attempt]).toEqual([id, 2]);
    expect((await runs.report(lease, 'heartbeat', {})).status).toBe(409);
    await runs.complete(again, 'SUCCEEDED');
  });

  it('that is not acknowledged in time goes back to the queue', async () => {
    const id = await runs.create();
    const lease = await runs.claim();
    if (!lease) throw new Error('no lease');
    await age(id, 11);
    await vi.waitFor(async () => expect((await runs.get(id)).state).toBe('QUEUED'), 60_000);
    const late = await runs.report(lease, 'acknowledge');
    expect([late.status, late.headers.get('retry-after')]).toEqual([409, null]);
    await runs.complete(await runs.begin(), 'SUCCEEDED');
  });

  it('that lapses under a working agent ends the run in ERROR, and every late word is refused', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    await age(id, 31);
    await vi.waitFor(async () => expect((await runs.get(id)).state).toBe('ERROR'), 60_000);
    const own = await service.request('GET', `/agent/runs/${id}`, { key: lease.run_key });
    expect(own.status).toBe(401);
    const words = await Promise.all([
      runs.report(lease, 'heartbeat', {}),
      runs.report(lease, 'events', { events: [event(1)] }),
      runs.complete(lease, 'SUCCEEDED'),
    ]);
    expect(words.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect((await runs.get(id)).status_message).toMatchObject({ error_code: 'internal_error' });
    await runs.ask('POST', `/agent/runs/${id}/followups`, { message: 'again' });
    const next = await runs.begin();
    expect(next.attempt).toBe(2);
    expect((await runs.complete(lease, 'SUCCEEDED')).status).toBe(409);
    expect((await runs.complete(next, 'SUCCEEDED', 1)).body.ended).toBe(true);
  });

  it('is renewed by each heartbeat', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    await age(id, 29);
    expect((await runs.report(lease, 'heartbeat', {})).status).toBe(200);
    await age(id, 29);
    expect((await runs.report(lease, 'heartbeat', {})).status).toBe(200);
    expect((await runs.complete(lease, 'SUCCEEDED')).body.ended).toBe(true);
  });

  it('outlives the day after which the job queue would end it, where the operator allows', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    const { context } = service.service;
    const startedAgo = (interval: string) =>
      context.database.pool.query(
        `update runlink_jobs.job set started_on = now() - $2::interval where data ->> 'runId' = $1`,
        [id, interval],
      );
    await startedAgo('23 hours');
    await keepLongRuns(context);
    const { rows } = await context.database.pool.query<{ age: number }>(
      `select extract(epoch from now() - started_on)::int as age from runlink_jobs.job where data ->> 'runId' = $1`,
      [id],
    );
    expect(rows[0]?.age).toBeLessThan(60);
    // The service's own sweep may keep it once more, and the queue's own look may be under way.
    const stateAfterADay = async (): Promise<unknown> => {
      await startedAgo('25 hours');
      await context.database.queue.supervise(RUN_QUEUE);
      const text = `select state::text from runlink_jobs.job where data ->> 'runId' = $1`;
      return (await context.database.pool.query<{ state: string }>(text, [id])).rows[0]?.state;
    };
    await expect.poll(stateAfterADay, { timeout: 60_000 }).not.toBe('active');
    expect((await runs.complete(lease, 'SUCCEEDED')).status).toBe(409);
  });

  it('with a wrong token changes nothing', async () => {
    await runs.create();
    const lease = await runs.begin();
    const forged = await runs.complete({ ...lease, token: 'x'.repeat(32) }, 'FAILED');
    expect(forged.status).toBe(409);
    expect((await runs.complete(lease, 'SUCCEEDED')).body.state).toBe('SUCCEEDED');
  });

  it('is not there for a worker of another team', async () => {
    await runs.create();
    const lease = await runs.begin();
    const others = await service.workerKey('others');
    const response = await service.request('POST', `/worker/runs/${lease.run_id}/heartbeat`, {
      key: others,
      headers: { 'x-runlink-lease': lease.token },
      body: {},
    });
    expect(response.status).toBe(404);
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('is served again with the same keys and where its log stands', async () => {
    await runs.create();
    const lease = await runs.begin();
    await runs.report(lease, 'events', { events: [event(1), event(2)] });
    const response = await service.request('GET', `/worker/runs/${lease.run_id}/lease`, {
      key: workerKey,
      headers: { 'x-runlink-lease': lease.token },
    });
    const again = (await response.json()) as { lease: Lease; next_seq: number };
    expect(again.next_seq).toBe(3);
    expect({ ...again.lease, expires_at: '' }).toEqual({ ...lease, expires_at: '' });
    await runs.complete(lease, 'SUCCEEDED');
  });

  it.each([
    ['heartbeat', 'after_signal', { after_signal: 2 ** 31 }],
    ['complete', 'last_signal', { state: 'SUCCEEDED', message: '', last_signal: 2 ** 53 - 1 }],
    ['events', 'events.0.seq', { events: [{ ...event(1), seq: 2 ** 31 }] }],
  ])('refuses numbers that cannot be kept: %s, %s', async (action, field, body) => {
    await runs.create();
    const lease = await runs.begin();
    const answer = await runs.report<Problem>(lease, action, body);
    expect([answer.status, answer.body.field]).toEqual([400, field]);
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('completed twice gives the same answer twice', async () => {
    await runs.create();
    const lease = await runs.begin();
    const [one, two] = [await runs.complete(lease, 'FAILED'), await runs.complete(lease, 'FAILED')];
    expect(two.body).toEqual(one.body);
  });
});

describe('a run’s own key (interface.md 5, threats.md S3)', () => {
  it('reports for its run, sees no other, and dies with it', async () => {
    const other = await runs.create({ title: 'not yours' });
    await runs.complete(await runs.begin(), 'SUCCEEDED');
    const id = await runs.create();
    const lease = await runs.begin();
    const ask = (method: string, path: string, body?: unknown) =>
      service.request(method, path, { key: lease.run_key, ...(body ? { body } : {}) });
    const artifact = {
      artifact_type: 'EXTERNAL_REFERENCE',
      data: { reference_type: 'ticket', url: 'https://tracker.example/T-1' },
    };
    expect((await ask('POST', '/harness-support/report-artifact', artifact)).status).toBe(200);
    expect((await ask('GET', `/agent/runs/${id}`)).status).toBe(200);
    expect((await ask('GET', `/agent/runs/${other}`)).status).toBe(404);
    expect((await ask('GET', '/agent/runs')).status).toBe(403);
    await runs.complete(lease, 'SUCCEEDED');
    expect((await ask('GET', `/agent/runs/${id}`)).status).toBe(401);
  });
});

describe('the event log', () => {
  it('takes what it does not have, skips what it has, and asks for what is missing', async () => {
    await runs.create();
    const lease = await runs.begin();
    const send = async (...numbers: number[]) =>
      (
        await runs.report<{ next_seq: number }>(lease, 'events', {
          events: numbers.map((n) => event(n)),
        })
      ).body.next_seq;
    expect(await send(1, 2)).toBe(3);
    expect(await send(2, 3)).toBe(4);
    expect(await send(6)).toBe(4);
    expect(await Promise.all([send(4, 5), send(4, 5, 6)])).toContain(7);
    expect(await send(5)).toBe(7);
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('moves updated_at by what stands in the timeline, not by what the agent says', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    const before = (await runs.get(id)).updated_at;
    await runs.report(lease, 'events', { events: [event(1)] });
    expect((await runs.get(id)).updated_at).toBe(before);
    const started = {
      seq: 2,
      at: new Date().toISOString(),
      type: 'agent_started',
      harness: 'demo',
    };
    await runs.report(lease, 'events', { events: [started] });
    expect((await runs.get(id)).updated_at > before).toBe(true);
    const signals = await runs.report<{ signals: Signal[] }>(lease, 'heartbeat', {});
    expect(signals.body.signals).toEqual([]);
    await runs.complete(lease, 'SUCCEEDED');
  });
});
