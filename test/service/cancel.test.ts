import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/contract/problem.ts';
import type { Signal } from '../../src/contract/lease.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;
let key: string;

beforeAll(async () => {
  ({ service, runs, key } = await startDriver(startTestService));
});
afterAll(() => service.close());

const cancel = (id: string) => runs.ask<Problem & string>('POST', `/agent/runs/${id}/cancel`);

describe('cancel (interface.md 3 and 7)', () => {
  it('ends a queued run and answers its id as a JSON string', async () => {
    const id = await runs.create();
    const { status, body } = await cancel(id);
    expect({ status, body }).toEqual({ status: 200, body: id });
    expect(await runs.get(id)).toMatchObject({ state: 'CANCELLED' });
    expect(await runs.claim()).toBeNull();
  });

  it('ends a working run and tells its worker, who may still report what it did', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    const beat = runs.report<{ signals: Signal[] }>(lease, 'heartbeat', { after_signal: 0 }, 20);
    expect((await cancel(id)).status).toBe(200);
    expect((await beat).body.signals).toEqual([{ id: 1, type: 'cancel' }]);
    const event = {
      seq: 1,
      at: new Date().toISOString(),
      type: 'notice',
      level: 'info',
      text: 'stopped',
    };
    expect((await runs.report(lease, 'events', { events: [event] })).status).toBe(200);
    const done = await runs.complete(lease, 'CANCELLED', 1);
    expect(done.body).toMatchObject({ ended: true, state: 'CANCELLED' });
    expect((await runs.report(lease, 'heartbeat', {})).status).toBe(409);
  });

  it('refuses a run that is just being started with 409 and when to try again', async () => {
    const id = await runs.create();
    const lease = await runs.claim();
    const { status, headers, body } = await cancel(id);
    expect(status).toBe(409);
    expect(headers.get('retry-after')).toBe('1');
    expect(body.error_code).toBe('conflict');
    expect(await runs.get(id)).toMatchObject({ state: 'PENDING' });
    if (lease) await runs.report(lease, 'acknowledge');
    expect((await cancel(id)).status).toBe(200);
  });

  it('refuses a run that has ended with 400', async () => {
    const id = await runs.create();
    await cancel(id);
    const { status, body } = await cancel(id);
    expect(status).toBe(400);
    expect(body.error_code).toBe('invalid_request');
  });

  it.each([
    ['self-hosted', { config: { worker_host: 'my-host' } }, {}],
    ['local', {}, { 'x-oz-api-source': 'LOCAL' }],
    ['GitHub Action', {}, { 'x-oz-api-source': 'GITHUB_ACTION' }],
  ])('refuses a %s run with 422 and says so in the run', async (_, body, headers) => {
    const created = await runs.ask<{ run_id: string }>(
      'POST',
      '/agent/runs',
      { prompt: 'x', ...body },
      headers,
    );
    const id = created.body.run_id;
    expect((await runs.get(id)).is_run_type_cancellable).toBe(false);
    expect((await cancel(id)).status).toBe(422);
    expect(await runs.claim()).toBeNull();
  });

  it('answers an unknown run and another team’s run alike', async () => {
    const other = await service.personalKey('others', 'somebody');
    const id = await runs.create();
    const answers = await Promise.all(
      [id, '7d9f1f2e-8a4b-4c5d-9e6f-0a1b2c3d4e5f', 'nonsense'].map(async (target) => {
        const response = await service.request('POST', `/agent/runs/${target}/cancel`, {
          key: other,
        });
        const { instance: _, ...body } = (await response.json()) as Problem;
        return { status: response.status, body };
      }),
    );
    expect(answers[0]?.status).toBe(404);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect((await service.request('GET', `/agent/runs/${id}`, { key })).status).toBe(200);
    expect((await cancel(id)).status).toBe(200);
  });
});
