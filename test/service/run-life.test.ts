import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let key: string;
let worker: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.personalKey();
  worker = await service.workerKey();
});
afterAll(() => service.close());

describe('a run', () => {
  it('goes from creation over a lease to its end', async () => {
    const created = await service.request('POST', '/agent/runs', {
      key,
      body: { prompt: 'fix the test' },
    });
    expect(created.status).toBe(200);
    const { run_id: id } = (await created.json()) as { run_id: string };
    const claimed = await service.request('POST', '/worker/claim', {
      key: worker,
      body: { worker_id: 'w1', capacity: 1, harnesses: ['demo'] },
    });
    const { lease } = (await claimed.json()) as { lease: { run_id: string; token: string } };
    expect(lease.run_id).toBe(id);
    const headers = { 'x-runlink-lease': lease.token };
    const acknowledged = await service.request('POST', `/worker/runs/${id}/acknowledge`, {
      key: worker,
      headers,
    });
    expect(await acknowledged.json()).toEqual({ state: 'INPROGRESS' });
    const at = new Date().toISOString();
    const appended = await service.request('POST', `/worker/runs/${id}/events`, {
      key: worker,
      headers,
      body: {
        events: [
          { seq: 1, at, type: 'agent_started', harness: 'demo' },
          { seq: 2, at, type: 'message', message_id: 'a', role: 'assistant', delta: 'Hello' },
          { seq: 3, at, type: 'message', message_id: 'a', role: 'assistant', delta: ' there' },
        ],
      },
    });
    expect(await appended.json()).toEqual({ next_seq: 4 });
    const beat = await service.request('POST', `/worker/runs/${id}/heartbeat`, {
      key: worker,
      headers,
      body: {},
    });
    expect(beat.status).toBe(200);
    const completed = await service.request('POST', `/worker/runs/${id}/complete`, {
      key: worker,
      headers,
      body: { state: 'SUCCEEDED', message: 'done', last_signal: 0 },
    });
    expect(await completed.json()).toEqual({ ended: true, state: 'SUCCEEDED', signals: [] });
    const read = await service.request('GET', `/agent/runs/${id}`, { key });
    expect(await read.json()).toMatchObject({
      state: 'SUCCEEDED',
      status_message: { message: 'done' },
    });
  });
});
