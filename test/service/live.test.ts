import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lease, Signal } from '../../src/contract/lease.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { driveNewTeam, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;
let stranger: RunDriver;

beforeAll(async () => {
  service = await startTestService({ graceMs: 3_600_000 });
  stranger = await driveNewTeam(service);
});
beforeEach(async () => {
  runs = await driveNewTeam(service);
});
afterAll(() => service.close());

async function begin(): Promise<Lease> {
  await runs.create();
  return runs.begin();
}
const interrupt = (id: string, as = runs) =>
  as.ask<Problem & { run_id: string }>('POST', `/agent/runs/${id}/interrupt`);
const signals = async (lease: Lease, after_signal = 0): Promise<Signal[]> =>
  (await runs.report<{ signals: Signal[] }>(lease, 'heartbeat', { after_signal })).body.signals;

describe('messages between runs (interface.md 4.2)', () => {
  const send = (body: object, headers = {}, as = runs) =>
    as.ask<Problem & { message_ids: string[] }>(
      'POST',
      '/agent/messages',
      { subject: 'Found it', body: 'The port is 8787.', ...body },
      headers,
    );
  const box = async (id: string, query = ''): Promise<Record<string, unknown>[]> =>
    (await runs.ask<Record<string, unknown>[]>('GET', `/agent/messages/${id}${query}`)).body;

  it('are heard by agents as follow-ups, queued or at work, and listed', async () => {
    const sender = await runs.create({ title: 'Scout' });
    await runs.ask('POST', `/agent/runs/${sender}/cancel`);
    const lease = await begin();
    const waiting = await runs.create();
    const once = { 'idempotency-key': 'm' };
    const message = { to: [lease.run_id, waiting], sender_run_id: sender };
    const sent = await send(message, once);
    expect((await send(message, once)).body).toEqual(sent.body);
    expect((await send({ ...message, body: 'Another.' }, once)).status).toBe(409);
    const said = `Message from the run "Scout" (${sender}): Found it\n\nThe port is 8787.`;
    expect(await signals(lease)).toMatchObject([{ type: 'followup', message: said }]);
    expect((await runs.get(waiting)).prompt).toContain(said);
    const [message_id] = sent.body.message_ids;
    expect(await box(lease.run_id)).toEqual([
      {
        message_id,
        sender_run_id: sender,
        subject: 'Found it',
        sent_at: expect.any(String),
        delivered_at: expect.any(String),
        read_at: null,
      },
    ]);
    await runs.ask('POST', `/agent/runs/${waiting}/cancel`);
    await runs.complete(lease, 'SUCCEEDED', 9);
  });

  it('wait for callers that execute their run themselves, who say what they have read', async () => {
    const own = { 'x-oz-api-source': 'LOCAL' };
    const { body } = await runs.ask<{ run_id: string }>(
      'POST',
      '/agent/runs',
      { prompt: 'p' },
      own,
    );
    const id = body.run_id;
    const [first = '', second = ''] = [
      (await send({ to: [id], sender_run_id: id })).body.message_ids[0],
      (await send({ to: [id, id], sender_run_id: id })).body.message_ids[0],
    ];
    expect(await box(id, '?unread=true')).toMatchObject([
      { message_id: first, delivered_at: null },
      { message_id: second, read_at: null },
    ]);
    expect((await runs.ask('POST', `/agent/messages/${first}/delivered`)).status).toBe(204);
    const read = () => runs.ask<object>('POST', `/agent/messages/${second}/read`);
    const told = await read();
    expect(told.body).toMatchObject({ body: 'The port is 8787.', read_at: expect.any(String) });
    expect(await read()).toEqual(told);
    expect(await box(id, '?unread=true')).toMatchObject([{ delivered_at: expect.any(String) }]);
    expect(await box(id, '?limit=1')).toHaveLength(1);
    expect(await box(id, '?since=2100-01-01T00:00:00Z')).toEqual([]);
    for (const path of ['read', 'delivered'])
      expect((await stranger.ask('POST', `/agent/messages/${second}/${path}`)).status).toBe(404);
  });

  it('go to all or to none: not to ended runs, unknown ones or another team’s', async () => {
    const [ended, open] = [await runs.create(), await runs.create()];
    await runs.ask('POST', `/agent/runs/${ended}/cancel`);
    const refused = [
      { to: [open, ended], sender_run_id: open },
      { to: [open, randomUUID()], sender_run_id: open },
      { to: [open], sender_run_id: randomUUID() },
    ];
    const statuses = [];
    for (const body of refused) statuses.push((await send(body)).status);
    statuses.push((await send({ to: [open], sender_run_id: open }, {}, stranger)).status);
    expect(statuses).toEqual([422, 404, 404, 404]);
    expect(await box(open)).toEqual([]);
    await runs.ask('POST', `/agent/runs/${open}/cancel`);
  });
});

describe('POST …/interrupt (run-lifecycle.md, "Interrupts")', () => {
  it('reaches the worker among the follow-ups, in order, and leaves the run at work', async () => {
    const lease = await begin();
    await runs.ask('POST', `/agent/runs/${lease.run_id}/followups`, { message: 'first' });
    const answer = await interrupt(lease.run_id);
    expect([answer.status, answer.body.run_id]).toEqual([202, lease.run_id]);
    expect(await signals(lease)).toMatchObject([
      { type: 'followup', message: 'first' },
      { type: 'followup', interrupt: true },
    ]);
    expect((await runs.get(lease.run_id)).state).toBe('INPROGRESS');
    for (const part of ['conversation', 'entries', 'spans'])
      expect((await runs.ask('GET', `/agent/runs/${lease.run_id}/${part}`)).status).toBe(200);
    const { body } = await runs.ask<{ events: { event_type: string }[] }>(
      'GET',
      `/agent/runs/${lease.run_id}/timeline`,
    );
    expect(body.events.map(({ event_type }) => event_type)).toContain('oz_run_interrupted');
  });

  it('is over with the turn: it neither keeps a run open nor is it said to the next execution', async () => {
    const lease = await begin();
    await interrupt(lease.run_id);
    const ended = await runs.complete(lease, 'BLOCKED', 0);
    expect(ended.body).toMatchObject({ ended: true, state: 'BLOCKED' });
    await runs.ask('POST', `/agent/runs/${lease.run_id}/followups`, { message: 'go on' });
    const next = await runs.begin();
    expect([next.run_id, next.prompt]).toEqual([lease.run_id, 'go on']);
    await runs.complete(next, 'SUCCEEDED', 9);
  });

  it('is refused where there is no turn: waiting, being started, ended, somebody else’s', async () => {
    const waiting = await runs.create();
    expect((await interrupt(waiting)).status).toBe(409);
    const claimed = await runs.claim();
    expect(claimed && (await interrupt(claimed.run_id)).status).toBe(409);
    await runs.ask('POST', `/agent/runs/${waiting}/cancel`);
    const lease = claimed ?? (await begin());
    await runs.report(lease, 'acknowledge');
    expect((await interrupt(lease.run_id, stranger)).status).toBe(404);
    await runs.complete(lease, 'SUCCEEDED');
    expect((await interrupt(lease.run_id)).status).toBe(400);
    const own = { 'x-oz-api-source': 'LOCAL' };
    const { body } = await runs.ask<{ run_id: string }>(
      'POST',
      '/agent/runs',
      { prompt: 'p' },
      own,
    );
    expect((await interrupt(body.run_id)).status).toBe(422);
  });

  it('takes a conversation for its latest run', async () => {
    const lease = await begin();
    const { conversation_id } = await runs.get(lease.run_id);
    const path = `/agent/conversations/${conversation_id}/interrupt`;
    const answer = await runs.ask('POST', path);
    expect([answer.status, answer.body]).toEqual([202, { run_id: lease.run_id }]);
    expect((await stranger.ask('POST', path)).status).toBe(404);
    expect((await signals(lease)).length).toBe(1);
  });
});

describe('GET …/harness-usage', () => {
  const usageOf = (id: string) => runs.ask('GET', `/agent/runs/${id}/harness-usage`);

  it.each([
    ['claude', 'CLAUDE_CODE'],
    ['codex', 'CODEX'],
    ['demo', undefined],
  ])('of %s', async (harness, name) => {
    const lease = await begin();
    const { conversation_id } = await runs.get(lease.run_id);
    const of = { run_id: lease.run_id, conversation_id };
    const none = { available: false, ...of, age_seconds: null, usage: null };
    expect((await usageOf(lease.run_id)).body).toEqual(none);
    const usage = { total_tokens: 7, inference_cost_usd: 0.5 };
    const at = new Date().toISOString();
    const events = [
      { seq: 1, at, type: 'agent_started', harness },
      { seq: 2, at, type: 'usage', usage },
    ];
    await runs.report(lease, 'events', { events });
    const known = {
      available: true,
      ...of,
      age_seconds: expect.any(Number),
      usage: {
        capturedAt: expect.any(String),
        captureSequence: expect.any(Number),
        executionId: '1',
        harness: name,
        metricsVersion: 1,
        snapshot: {
          coverage: { tokenStatus: 'known', toolStatus: 'unavailable' },
          payload: usage,
        },
      },
    };
    expect((await usageOf(lease.run_id)).body).toEqual(name ? known : none);
    await runs.complete(lease, 'SUCCEEDED');
    expect((await usageOf(lease.run_id)).body).toEqual(name ? known : none);
    expect((await stranger.ask('GET', `/agent/runs/${lease.run_id}/harness-usage`)).status).toBe(
      404,
    );
  });
});

interface RunEvent {
  run_id: string;
  event_type: string;
  sequence: number;
  execution_id: string;
}

describe('GET /agent/events', () => {
  const list = (query: string, as = runs) => as.ask<RunEvent[]>('GET', `/agent/events?${query}`);

  it('tells how runs began and ended, once each, however small the pages', async () => {
    const [one, two] = [await begin(), await begin()];
    await runs.complete(two, 'FAILED');
    await runs.complete(one, 'SUCCEEDED');
    await runs.ask('POST', `/agent/runs/${one.run_id}/followups`, { message: 'more' });
    await runs.begin();
    const query = `run_ids=${one.run_id}&run_ids=${two.run_id.toUpperCase()}`;
    const expected = [
      [one.run_id, 'run_in_progress', '1'],
      [two.run_id, 'run_in_progress', '1'],
      [two.run_id, 'run_failed', '1'],
      [one.run_id, 'run_succeeded', '1'],
      [one.run_id, 'run_in_progress', '2'],
    ];
    const told = (events: RunEvent[]) =>
      events.map(({ run_id, event_type, execution_id }) => [run_id, event_type, execution_id]);
    await expect
      .poll(async () => told((await list(query)).body), { timeout: 60_000 })
      .toEqual(expected);
    const paged: RunEvent[] = [];
    for (let since = 0; ;) {
      const { body } = await list(`${query}&limit=1&since=${since}`);
      if (body.length === 0) break;
      paged.push(...body);
      since = body.at(-1)?.sequence ?? 0;
    }
    expect(told(paged)).toEqual(expected);
  });

  it('is refused for what the caller may not see, and without runs', async () => {
    const { run_id } = await begin();
    expect((await list(`run_ids=${run_id}`, stranger)).status).toBe(404);
    expect((await list(`run_ids=${run_id}&run_ids=${randomUUID()}`)).status).toBe(404);
    expect((await list('run_ids=no')).status).toBe(404);
    expect((await list('since=0')).status).toBe(400);
  });
});

it('the raw transcript of a conversation is that of its runs, one after the other', async () => {
  const lease = await begin();
  const { conversation_id } = await runs.get(lease.run_id);
  await runs.complete(lease, 'SUCCEEDED');
  const next = await runs.create({ conversation_id, prompt: 'and now' });
  const path = `/agent/conversations/${conversation_id}/transcript`;
  const { status, headers } = await runs.ask('GET', path);
  expect(status).toBe(302);
  const location = headers.get('location') ?? '';
  const lines = (await (await fetch(location)).text()).trim().split('\n');
  const read = lines.map((line) => JSON.parse(line) as { run_id: string; prompt?: string });
  expect([...new Set(read.map(({ run_id }) => run_id))]).toEqual([lease.run_id, next]);
  expect(read.flatMap(({ prompt }) => prompt ?? [])).toEqual(['do it', 'and now']);
  expect((await fetch(location.replace(/signature=.{4}/, 'signature=AAAA'))).status).toBe(403);
  expect((await stranger.ask('GET', path)).status).toBe(404);
});
