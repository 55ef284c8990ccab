import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { readProgress } from '../../src/commands/progress.ts';
import type { ListEntriesResponse } from '../../src/contract/entry.ts';
import type { WorkerEventBody } from '../../src/contract/event.ts';
import type { Lease } from '../../src/contract/lease.ts';
import type { RunItem } from '../../src/contract/run.ts';
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

async function read(runId: string, query = '', wait?: number): Promise<ListEntriesResponse> {
  const headers = wait === undefined ? undefined : { prefer: `wait=${wait}` };
  const path = `/agent/runs/${runId}/entries${query}`;
  const answer = await driver.ask<ListEntriesResponse>('GET', path, undefined, headers);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** A working run whose log can be added to. */
async function begin() {
  await driver.create();
  const lease: Lease = await driver.begin();
  const runId = lease.run_id;
  let seq = 0;
  const report = async (...bodies: WorkerEventBody[]): Promise<void> => {
    const events = bodies.map((body) => {
      seq += 1;
      return { ...body, seq, at: new Date().toISOString() };
    });
    for (let at = 0; at < events.length; at += 500) {
      const answer = await driver.report(lease, 'events', { events: events.slice(at, at + 500) });
      expect(answer.status).toBe(200);
    }
  };
  return { runId, lease, report };
}

const say = (message_id: string, delta: string): WorkerEventBody => ({
  type: 'message',
  message_id,
  role: 'assistant',
  delta,
});

const textsOf = ({ entries }: ListEntriesResponse): string[] =>
  entries.map(({ events }) =>
    events.map((event) => (event.type === 'message' ? event.delta : event.type)).join(''),
  );

describe('how far a run has come', () => {
  it('is its newest plan, the step under way and the cost, as the faces read them', async () => {
    const { runId, report } = await begin();
    const client = createClient({ baseUrl: service.baseUrl, apiKey: driver.key });
    const step = (content: string, status: string) => ({ content, status });
    await report(
      say('m1', 'I look.'),
      { type: 'plan', entries: [step('Read', 'in_progress')] },
      { type: 'tool_call', call_id: 'c1', title: 'npm test', status: 'running' },
      { type: 'usage', usage: { inference_cost_usd: 0.42 } },
      { type: 'plan', entries: [step('Read', 'completed'), step('Write', 'in_progress')] },
    );
    expect(await readProgress(client, runId, {})).toEqual({
      plan: [step('Read', 'completed'), step('Write', 'in_progress')],
      step: 'npm test',
      cost: '$0.42',
    });
  });
});

describe('GET /agent/runs/{runId}/entries', () => {
  it('keeps together what belongs together, where it began', async () => {
    const { runId, report } = await begin();
    await report(
      say('a', 'Hel'),
      { type: 'tool_call', call_id: 'c', status: 'running' },
      say('b', 'B'),
      say('a', 'lo'),
      { type: 'tool_call', call_id: 'c', status: 'completed' },
    );
    const { entries } = await read(runId);
    const own = entries.filter(({ events }) => events[0]?.type !== 'lifecycle');
    expect(own.map(({ events }) => events.length)).toEqual([2, 2, 1]);
    expect(own[0]?.events).toMatchObject([
      { type: 'message', delta: 'Hel', seq: 1 },
      { type: 'message', delta: 'lo', seq: 4 },
    ]);
    expect(own[0]?.last_position).toBe((own[0]?.position ?? 0) + 3);
  });

  it('shows the service’s own events: life of the run and follow-ups', async () => {
    const { runId } = await begin();
    await driver.ask('POST', `/agent/runs/${runId}/followups`, { message: 'also this' });
    const events = (await read(runId)).entries.flatMap((entry) => entry.events);
    expect(events[0]).toMatchObject({ type: 'lifecycle', event_type: 'oz_run_created' });
    expect(events.at(-1)).toMatchObject({
      type: 'followup',
      message: 'also this',
      creator: { type: 'user' },
    });
  });

  it('pages backwards without a gap or a repetition', async () => {
    const { runId, report } = await begin();
    await report(...Array.from({ length: 230 }, (_, at) => say(`m${at % 115}`, `${at};`)));
    const seen: string[] = [];
    let page = await read(runId, '?limit=25');
    for (;;) {
      seen.unshift(...textsOf(page));
      if (!page.has_earlier) break;
      page = await read(runId, `?limit=25&before=${page.entries[0]?.position}`);
    }
    const messages = seen.filter((text) => text.includes(';'));
    expect(messages).toEqual(Array.from({ length: 115 }, (_, at) => `${at};${at + 115};`));
  });

  it('follows every touched entry, however small the parts', async () => {
    const { runId, report } = await begin();
    await report(say('long', 'start'));
    const { next_after: start } = await read(runId);
    await report(
      ...Array.from({ length: 40 }, (_, at) => say(`n${at}`, `${at}`)),
      say('long', ' end'),
    );
    const latest = new Map<number, string>();
    let after = start;
    for (let parts = 0; parts < 60; parts += 1) {
      const part = await read(runId, `?after=${after}&limit=7`);
      if (part.entries.length === 0) break;
      const texts = textsOf(part);
      for (const [at, entry] of part.entries.entries()) {
        latest.set(entry.position, texts[at] ?? '');
      }
      expect(part.next_after).toBeGreaterThan(after);
      after = part.next_after;
    }
    expect([...latest.entries()].toSorted((a, b) => a[0] - b[0]).map(([, text]) => text)).toEqual([
      'start end',
      ...Array.from({ length: 40 }, (_, at) => `${at}`),
    ]);
  });

  it('is held until the log grows', async () => {
    const { runId, report } = await begin();
    const { next_after: after } = await read(runId);
    const waiting = read(runId, `?after=${after}`, 20);
    await report(say('new', 'news'));
    expect(textsOf(await waiting)).toEqual(['news']);
  });

  it('answers empty when nothing came in time', async () => {
    const { runId } = await begin();
    const { next_after: after } = await read(runId);
    expect(await read(runId, `?after=${after}`, 1)).toMatchObject({
      entries: [],
      next_after: after,
    });
  });

  it('finds the latest of a type', async () => {
    const { runId, report } = await begin();
    const changes = (path: string): WorkerEventBody => ({
      type: 'changes',
      base_sha: 'a',
      files: [
        { path, status: 'added', additions: 1, deletions: 0 },
        ...(path === 'two'
          ? [{ path: 'b', status: 'modified' as const, additions: 2, deletions: 1 }]
          : []),
      ],
    });
    await report(changes('one'), say('x', 'x'));
    await report(changes('two'), say('y', 'y'));
    const { entries, has_earlier } = await read(runId, '?type=changes&limit=1');
    expect(entries[0]?.events).toMatchObject([{ files: [{ path: 'two' }, { path: 'b' }] }]);
    expect(has_earlier).toBe(true);
    expect((await read(runId, '?type=plan')).entries).toEqual([]);
    const list = await driver.ask<{ runs: RunItem[] }>('GET', '/agent/runs?limit=50');
    const run = list.body.runs.find((it) => it.run_id === runId);
    expect(run?.changed_lines).toEqual({ additions: 3, deletions: 1 });
  });

  it.each([
    'q=',
    'q=a&after=1',
    'failed=true&after=0',
    'type=%00',
    'limit=0',
    'limit=501',
    'after=-1',
    'after=x',
    'before=0',
    'before=1.5',
  ])('refuses ?%s', async (query) => {
    const runId = await driver.create();
    const { status } = await driver.ask('GET', `/agent/runs/${runId}/entries?${query}`);
    expect(status).toBe(400);
  });

  it('knows no run of another team', async () => {
    const runId = await driver.create();
    const stranger = await service.personalKey('strangers', 'eve');
    const path = `/agent/runs/${runId}/entries`;
    expect((await service.request('GET', path, { key: stranger })).status).toBe(404);
  });
});

describe('a search in the log', () => {
  it('finds what is said anywhere, put together and without colours', async () => {
    const { runId, report } = await begin();
    const call = (call_id: string, body: object): WorkerEventBody => ({
      type: 'tool_call',
      call_id,
      ...body,
    });
    await report(
      say('a', 'The loo'),
      call('c', { title: 'npm test', input: { command: 'npm test' }, status: 'running' }),
      say('a', 'p stopped 100% short'),
      call('c', {
        output_delta: '\u001B[36msrc/Sum.js\u001B[39m:\u001B[33m3\u001B[39m',
        exit_code: 1,
      }),
      ...Array.from({ length: 5100 }, (_, at) => say(`n${at}`, `${at};`)),
      say('z', 'The loop is whole'),
      call('d', { title: 'npm test', exit_code: 0 }),
    );
    const find = async (query: string) => {
      const found = await read(runId, `?${query}`);
      return found.entries.map(({ events: [first] }) =>
        first?.type === 'message' ? first.message_id : first?.type === 'tool_call' && first.call_id,
      );
    };
    expect(await find('q=LOOP+stopped&from=1')).toEqual(['a']);
    expect(await find('q=loop&from=1')).toEqual(['a', 'z']);
    expect(await find('q=the+loop&from=1&limit=1')).toEqual(['a']);
    expect(await find('q=whole&from=1&limit=1')).toEqual(['z']);
    expect(await find('q=the+loop&limit=1')).toEqual(['z']);
    expect(await find('q=the+loop&before=100')).toEqual(['a']);
    expect(await find('q=100%25+short')).toEqual(['a']);
    expect(await find('q=10_%25+short')).toEqual([]);
    expect(await find('q=sum.js:3')).toEqual(['c']);
    expect(await find('q=npm+test&type=message')).toEqual([]);
    expect(await find('failed=true&from=1')).toEqual(['c']);
    // What began before is not found by its later pieces.
    expect(await find('q=stopped&from=5')).toEqual([]);
  });
});
