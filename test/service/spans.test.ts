import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListEntriesResponse } from '../../src/contract/entry.ts';
import type { WorkerEventBody } from '../../src/contract/event.ts';
import type { Lease } from '../../src/contract/lease.ts';
import { listSpansResponse, type Span } from '../../src/contract/span.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let driver: RunDriver;

beforeAll(async () => {
  const started = await startDriver(startTestService);
  service = started.service;
  driver = started.runs;
});
afterAll(async () => service.close());

async function begin() {
  await driver.create();
  const lease: Lease = await driver.begin();
  let seq = 0;
  const report = async (...bodies: WorkerEventBody[]): Promise<void> => {
    const at = new Date().toISOString();
    const events = bodies.map((body) => ({ ...body, seq: (seq += 1), at }));
    for (let from = 0; from < events.length; from += 500)
      await driver.report(lease, 'events', { events: events.slice(from, from + 500) });
  };
  return { runId: lease.run_id, lease, report };
}

async function read(runId: string, query = ''): Promise<Span[]> {
  const answer = await driver.ask('GET', `/agent/runs/${runId}/spans${query}`);
  expect(answer.status).toBe(200);
  return listSpansResponse.parse(answer.body).spans;
}

const call = (id: number, exit_code: number): WorkerEventBody => ({
  type: 'tool_call',
  call_id: `c${id}`,
  kind: 'execute',
  title: `step ${id}`,
  status: 'completed',
  exit_code,
});

describe('GET /agent/runs/{runId}/spans', () => {
  it('tells the queue, the set-up, the agent and its calls, and what failed', async () => {
    const { runId, lease, report } = await begin();
    const now = Date.now();
    await report(
      {
        type: 'setup',
        step: 'clone',
        title: 'Clone octo/shop',
        started_at: new Date(now - 5).toISOString(),
        finished_at: new Date(now).toISOString(),
      },
      { type: 'agent_started', harness: 'demo' },
      call(1, 0),
      call(2, 1),
      { type: 'tool_call', call_id: 'open', title: 'under way', status: 'running' },
    );
    const spans = await read(runId);
    const told = spans.map(({ kind, title, failed }) => `${kind} ${title}${failed ? ' ✕' : ''}`);
    expect(told.toSorted()).toEqual([
      'agent Agent',
      'clone Clone octo/shop',
      'command step 1',
      'command step 2 ✕',
      'command under way',
      'queue Waiting for a worker',
    ]);
    const open = spans.filter((span) => span.ended_at === null).map((span) => span.title);
    expect(open.toSorted()).toEqual(['Agent', 'under way']);
    await driver.report(lease, 'complete', { state: 'BLOCKED', message: '?', last_signal: 0 });
    const ended = await read(runId);
    expect(ended.filter((span) => span.ended_at === null).map((span) => span.kind)).toEqual([
      'waiting',
    ]);
  });

  it('tells neighbours as one until they fit, failures apart from the rest', async () => {
    const { runId, report } = await begin();
    await report(...Array.from({ length: 600 }, (_, at) => call(at, at === 300 ? 1 : 0)));
    const spans = await read(runId, '?limit=20');
    expect(spans.length).toBeLessThanOrEqual(20);
    const calls = spans.filter((span) => span.kind === 'command');
    expect(calls.reduce((sum, { count }) => sum + count, 0)).toBe(600);
    expect(calls.filter((span) => span.failed)).toMatchObject([{ count: 1, title: 'step 300' }]);
    expect(await read(runId)).toHaveLength(601);
  });

  it('tells the whole of a run, however long it has become', async () => {
    const { runId, report } = await begin();
    const at = new Date().toISOString();
    const times = { started_at: at, finished_at: at };
    await report(
      { type: 'setup', step: 'clone', title: 'Clone', ...times },
      { type: 'agent_started', harness: 'demo' },
      call(1, 0),
    );
    const growTo = async (lines: number) => {
      await service.service.context.database.pool.query(
        `with long as (update runs set log_position = $2 where id = $1 returning log_position),
           before as (select max(position) as position from run_events where run_id = $1)
         insert into run_events (run_id, position, attempt, type, at, data)
         select $1, n, 1, 'usage', now(), '{}' from long, before, generate_series(before.position + 1, $2) n`,
        [runId, lines],
      );
    };
    const told = async () =>
      (await read(runId)).map(({ kind, title, failed }) => `${kind} ${title}${failed ? ' ✕' : ''}`);
    const begun = ['agent Agent', 'clone Clone', 'command step 1', 'queue Waiting for a worker'];
    await growTo(9_999);
    // Its first line is the last of those that are remembered together.
    await report({ type: 'tool_call', call_id: 'long', title: 'long', status: 'running' });
    expect((await told()).toSorted()).toEqual([...begun, 'command long'].toSorted());
    await report({ type: 'tool_call', call_id: 'long', output_delta: 'x' }, call(2, 0));
    await growTo(21_000);
    await report({ type: 'tool_call', call_id: 'long', status: 'failed' }, call(3, 1));
    const later = ['command step 2', 'command step 3 ✕', 'command Tool call ✕'];
    for (let times = 0; times < 2; times += 1)
      expect((await told()).toSorted()).toEqual([...begun, 'command long', ...later].toSorted());
  });

  it('knows no run of another', async () => {
    const answer = await driver.ask('GET', `/agent/runs/${'0'.repeat(36)}/spans`);
    expect(answer.status).toBe(404);
  });
});

describe('entries from a place on', () => {
  it('come in their order, without a gap, and say whether there are more', async () => {
    const { runId, report } = await begin();
    await report(...Array.from({ length: 130 }, (_, at) => call(at, 0)));
    const seen: number[] = [];
    for (let from = 1; ;) {
      const path = `/agent/runs/${runId}/entries?limit=50&from=${from}`;
      const { body } = await driver.ask<ListEntriesResponse>('GET', path);
      expect(body.has_earlier).toBe(from > 1);
      seen.push(...body.entries.map((entry) => entry.position));
      if (!body.has_later) break;
      from = (seen.at(-1) ?? 0) + 1;
    }
    expect(seen).toEqual(seen.map((_, at) => at + 1));
    expect(seen.length).toBeGreaterThan(130);
  });
});
