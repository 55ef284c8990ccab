import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.personalKey();
});
afterAll(() => service.close());

describe('a run (interface.md 3)', () => {
  it('goes from creation over a lease to its end', async () => {
    const [team, user] = ['claiming', 'somebody'];
    const key = await service.personalKey(team, user);
    const worker = await service.workerKey(team);
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

  it('is written by one statement with its metadata, its event and its job', async () => {
    const created = await service.request('POST', '/agent/runs', {
      key,
      body: { prompt: 'fix the test', metadata: { ticket: '17' } },
    });
    const { run_id: id } = (await created.json()) as { run_id: string };
    const { rows } = await service.service.context.database.pool.query<{ parts: string[] }>(
      `select array_agg(part order by part) as parts from (
        select 'run' as part, xmin::text, cmin::text from runs where id = $1
        union all select 'metadata', xmin::text, cmin::text from run_metadata where run_id = $1
        union all select 'event', xmin::text, cmin::text from run_events where run_id = $1
        union all select 'job', xmin::text, cmin::text from runlink_jobs.job
          where data ->> 'runId' = $1::text) written
       group by xmin, cmin`,
      [id],
    );
    expect(rows).toEqual([{ parts: ['event', 'job', 'metadata', 'run'] }]);
  });

  it('answers by the name that runs had first (interface.md 4.2)', async () => {
    const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const answer = await service.request(method, path, { key, ...(body ? { body } : {}) });
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      return (await answer.json()) as { run_id: string; runs: { run_id: string }[] };
    };
    const { run_id: id } = await ask('POST', '/agent/run', { prompt: 'by the old name' });
    expect(await ask('GET', `/agent/tasks/${id}`)).toEqual(await ask('GET', `/agent/runs/${id}`));
    const listed = await ask('GET', '/agent/tasks?limit=1');
    expect(listed).toEqual(await ask('GET', '/agent/runs?limit=1'));
    expect(await ask('POST', `/agent/tasks/${id}/cancel`)).toBe(id);
    expect(await ask('GET', `/agent/tasks/${id}`)).toMatchObject({ state: 'CANCELLED' });
  });
});

describe('a run that its caller executes (run-lifecycle.md, "Runs that their caller executes")', () => {
  const start = async (source: string): Promise<string> => {
    const headers = { 'x-oz-api-source': source };
    const body = { prompt: 'p' };
    const made = await service.request('POST', '/agent/runs', { key, body, headers });
    return ((await made.json()) as { run_id: string }).run_id;
  };
  const finish = (id: string, success: boolean, as = key) =>
    service.request('POST', '/harness-support/finish-task', {
      key: as,
      headers: { 'x-warp-cloud-agent-id': id },
      body: { success, summary: 'What came of it' },
    });
  const read = async (path: string) =>
    (await service.request('GET', path, { key })).json() as Promise<Record<string, unknown>>;

  it.each([
    ['LOCAL', true, 'SUCCEEDED', 'oz_run_done'],
    ['GITHUB_ACTION', false, 'FAILED', 'oz_run_failed'],
  ])('%s ends as its caller says, once', async (source, success, state, event) => {
    const id = await start(source);
    expect((await finish(id, success)).status).toBe(204);
    const run = await read(`/agent/runs/${id}`);
    expect(run).toMatchObject({
      state,
      status_message: { message: 'What came of it' },
      execution_location: 'LOCAL',
      started_at: expect.any(String),
      finished_at: expect.any(String),
    });
    expect((await finish(id, success)).status).toBe(204);
    expect((await finish(id, !success)).status).toBe(409);
    expect(await read(`/agent/runs/${id}`)).toEqual(run);
    const { events } = await read(`/agent/runs/${id}/timeline`);
    const types = (events as { event_type: string }[]).map(({ event_type }) => event_type);
    expect([types[0], types.at(-1)]).toEqual(['oz_run_created', event]);
  });

  it('takes no follow-up: nobody would hear of it', async () => {
    const id = await start('LOCAL');
    const body = { message: 'more' };
    const path = `/agent/runs/${id}/followups`;
    expect((await service.request('POST', path, { key, body })).status).toBe(422);
    await finish(id, true);
    expect((await service.request('POST', path, { key, body })).status).toBe(422);
  });

  it('is ended by nobody else, and no other run is ended so', async () => {
    const id = await start('LOCAL');
    const others = await service.personalKey('others', 'other');
    expect((await finish(id, true, others)).status).toBe(404);
    expect((await finish(await start('API'), true)).status).toBe(422);
    expect(await read(`/agent/runs/${id}`)).toMatchObject({ state: 'QUEUED' });
  });
});
