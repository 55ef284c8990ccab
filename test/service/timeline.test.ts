import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationStep } from '../../src/contract/conversation.ts';
import { LEASE_HEADER, SENT_AT_HEADER, type Lease } from '../../src/contract/lease.ts';
import type { TimelineEvent } from '../../src/contract/timeline.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const HOUR = 3_600_000;
let service: TestService;
let runs: RunDriver;
let workerKey = '';

beforeAll(async () => {
  ({ service, runs, workerKey } = await startDriver(() => startTestService()));
});
afterAll(() => service.close());

const timelineOf = async (id: string): Promise<TimelineEvent[]> =>
  (await runs.ask<{ events: TimelineEvent[] }>('GET', `/agent/runs/${id}/timeline`)).body.events;

const timesOf = (events: TimelineEvent[]): number[] =>
  events.map(({ occurred_at }) => Date.parse(occurred_at));

/** Sends events as a worker whose clock is off by so much. */
async function report(lease: Lease, skewMs: number, events: object[], says = true): Promise<void> {
  const answer = await service.request('POST', `/worker/runs/${lease.run_id}/events`, {
    key: workerKey,
    headers: {
      [LEASE_HEADER]: lease.token,
      ...(says ? { [SENT_AT_HEADER]: new Date(Date.now() + skewMs).toISOString() } : {}),
    },
    body: { events },
  });
  expect(answer.status).toBe(200);
}

const at = (ms: number): string => new Date(ms).toISOString();

function step(seq: number, name: string, from: number, to?: number): object {
  const times = { started_at: at(from), ...(to === undefined ? {} : { finished_at: at(to) }) };
  return { seq, at: at(to ?? from), type: 'setup', step: name, title: name, ...times };
}

/** A run that was begun a minute ago. */
async function begun(): Promise<Lease> {
  await runs.create();
  const lease = await runs.begin();
  const { pool } = service.service.context.database;
  for (const [table, key, columns] of [
    ['run_events', 'run_id', ['at']],
    ['executions', 'run_id', ['queued_at', 'started_at']],
    ['runs', 'id', ['created_at', 'queued_at', 'started_at']],
  ] as const) {
    const earlier = columns.map((name) => `${name} = ${name} - interval '1 minute'`);
    await pool.query(`update ${table} set ${earlier.join()} where ${key} = $1`, [lease.run_id]);
  }
  return lease;
}

describe('the timeline (interface.md 4.2; run-lifecycle.md, "Times")', () => {
  it.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
    ['a second behind', -1000],
  ])('follows the service’s clock when the worker’s is %s', async (_, skew) => {
    const lease = await begun();
    const now = Date.now() + skew;
    await report(lease, skew, [step(1, 'clone', now - 40, now - 10)]);
    await report(lease, skew, [{ seq: 2, at: at(now), type: 'agent_started', harness: 'demo' }]);
    await runs.complete(lease, 'SUCCEEDED');
    const events = await timelineOf(lease.run_id);
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'oz_run_created',
      'oz_run_claimed',
      'worker_container_ready',
      'setup_clone',
      'agent_started',
      'oz_run_done',
    ]);
    const times = timesOf(events);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const { start_ts, finish_ts, latency_ms } = events[3]?.payload ?? {};
    expect(start_ts).toBe(events[3]?.occurred_at);
    expect(Date.parse(String(finish_ts)) - Date.parse(String(start_ts))).toBe(latency_ms);
  });

  it('has one event of a step under way, with what it said last, and why a run failed', async () => {
    const lease = await begun();
    const begin = Date.now();
    const lastOf = async () => {
      const [event, ...others] = (await timelineOf(lease.run_id)).slice(3);
      return [event?.event_type, event?.payload?.['title'], others.map(({ payload }) => payload)];
    };
    for (const [index, title] of ['1 MB', '2 MB'].entries()) {
      await report(lease, 0, [{ ...step(index + 1, 'image', begin), title }]);
      expect(await lastOf()).toEqual(['setup_image', title, []]);
    }
    const failed = { ...step(3, 'image', begin, begin + 5), title: 'Image', is_error: true };
    await report(lease, 0, [{ ...failed, output: 'no such image' }]);
    await runs.complete(lease, 'FAILED');
    expect(await lastOf()).toEqual(['setup_image', 'Image', [{ reason: 'FAILED' }]]);
    const events = await timelineOf(lease.run_id);
    expect(events[3]?.payload).toMatchObject({ is_error: true, reason: 'no such image' });
  });

  it('keeps what a worker says within its execution, also one that does not say what time it has', async () => {
    const lease = await begun();
    const now = Date.now();
    const far = [now - 9 * HOUR, now + 9 * HOUR].map((time, index) => step(index + 1, 's', time));
    await report(lease, 0, far, false);
    await runs.ask('POST', `/agent/runs/${lease.run_id}/cancel`);
    await report(lease, 0, [step(3, 'late', now + 9 * HOUR)], false);
    const run = await runs.get(lease.run_id);
    const bounds = [run.started_at, run.finished_at].map((time) => Date.parse(time ?? ''));
    const setup = (await timelineOf(lease.run_id)).filter(({ event_type }) =>
      event_type.startsWith('setup'),
    );
    expect(setup).toHaveLength(3);
    for (const time of timesOf(setup)) {
      expect(time).toBeGreaterThanOrEqual(bounds[0] ?? 0);
      expect(time).toBeLessThanOrEqual(bounds[1] ?? 0);
    }
    await runs.report(lease, 'complete', { state: 'CANCELLED', message: '', last_signal: 0 });
  });

  it('has steps that overlap in the order they began, each once, with the same id throughout', async () => {
    const lease = await begun();
    const now = Date.now();
    const [a, b] = [now - 30, now - 20];
    await report(lease, 0, [
      step(1, 'long', a),
      step(2, 'short', b),
      step(3, 'short', b, now - 10),
    ]);
    const before = (await timelineOf(lease.run_id)).slice(3);
    await report(lease, 0, [step(4, 'long', a, now)]);
    const after = (await timelineOf(lease.run_id)).slice(3);
    expect(after.map(({ event_type }) => event_type)).toEqual(['setup_long', 'setup_short']);
    const known = ({ event_uuid, occurred_at }: TimelineEvent) => [event_uuid, occurred_at];
    expect(after.map(known)).toEqual(before.map(known));
    expect(before[0]?.payload).not.toHaveProperty('latency_ms');
    expect(after.map(({ payload }) => payload?.['latency_ms'])).toEqual([30, 10]);
    await runs.complete(lease, 'SUCCEEDED');
  });

  it.each([
    ['at the same time', 0, true],
    ['by a worker an hour ahead that does not say so', HOUR, false],
    ['by a worker an hour behind that does not say so', -HOUR, false],
  ])('has steps in the order they began when their ends are told %s', async (_, skew, says) => {
    const lease = await begun();
    const now = Date.now() + skew;
    const ended = (seq: number, name: string, from: number, to: number): object => ({
      ...step(seq, name, now - from, now - to),
      at: at(now),
    });
    const steps = [ended(1, 'b', 300, 10), ended(2, 'a', 400, 200), ended(3, 'c', 50, 40)];
    await report(lease, skew, steps, says);
    const told = (await timelineOf(lease.run_id)).slice(3);
    expect(told.map(({ event_type }) => event_type)).toEqual(['setup_a', 'setup_b', 'setup_c']);
    expect(told.map(({ payload }) => payload?.['latency_ms'])).toEqual([200, 290, 10]);
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('is in order and within the run whatever a worker’s clock does between its calls', async () => {
    const lease = await begun();
    let seq = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
        fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (skew, offsets, says) => {
          const now = Date.now() + skew;
          const events = offsets.map((offset) =>
            step(++seq, 'x', now + offset, now + offset + seq),
          );
          await report(lease, skew, events, says);
          const run = await runs.get(lease.run_id);
          const times = timesOf(await timelineOf(lease.run_id));
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          expect(times[0]).toBe(Date.parse(run.created_at));
          expect(times.at(-1)).toBeLessThanOrEqual(Date.parse(run.updated_at));
        },
      ),
      { numRuns: process.env['RUNLINK_TEST_LONG'] === undefined ? 15 : 300 },
    );
    await runs.complete(lease, 'SUCCEEDED');
  });
});

describe('a run that is continued (run-lifecycle.md, "Follow-ups")', () => {
  it('has the message and all that follows in the next execution, in every telling of it', async () => {
    const first = await begun();
    const said = (delta: string) => ({
      seq: 1,
      at: at(Date.now()),
      type: 'message',
      message_id: 'm',
      role: 'assistant',
      delta,
    });
    await report(first, 0, [said('One.')]);
    await runs.complete(first, 'SUCCEEDED');
    const id = first.run_id;
    await runs.ask('POST', `/agent/runs/${id}/followups`, { message: 'And now?' });
    const second = await runs.begin();
    await report(second, 0, [said('Two.')]);
    await runs.complete(second, 'SUCCEEDED', 1);

    const { body } = await runs.ask<{ steps: ConversationStep[] }>(
      'GET',
      `/agent/runs/${id}/conversation`,
    );
    const texts = body.steps.map(({ messages }) =>
      messages.flatMap(({ content }) =>
        content.map((block) =>
          block.type === 'text' ? block.text : block.type === 'event' ? block.name : '',
        ),
      ),
    );
    const begin = ['oz_run_claimed', 'worker_container_ready'];
    expect(texts).toEqual([
      ['do it', 'oz_run_created', ...begin, 'One.', 'oz_run_done'],
      ['oz_run_reopened', 'And now?', ...begin, 'Two.', 'oz_run_done'],
    ]);
    const executions = (await timelineOf(id)).map(({ execution_id }) => execution_id);
    expect(executions).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);

    const link = await service.request('GET', `/agent/runs/${id}/transcript`, {
      key: await service.personalKey(),
    });
    const text = await (await fetch(link.headers.get('location') ?? '')).text();
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({
      position: 0,
      execution_id: 1,
      type: 'prompt',
      prompt: 'do it',
    });
    expect(lines.map(({ execution_id, type }) => [execution_id, type]).slice(5)).toEqual([
      [1, 'lifecycle'],
      [2, 'lifecycle'],
      [2, 'followup'],
      [2, 'lifecycle'],
      [2, 'lifecycle'],
      [2, 'message'],
      [2, 'lifecycle'],
    ]);
  });
});
