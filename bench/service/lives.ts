import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { z } from 'zod';

/** Where lives are lived: one or more servers with the same data. */
export interface Place {
  origins: string[];
  prefix: string;
  key: string;
  workerKey: string;
}

export interface Lives {
  perSecond: number;
  /** From the claim to the answer to complete, in milliseconds. */
  times: number[];
}

const PROMPT = 'Please look at the flaky login test and change what is needed. '.repeat(5);
const RUN = { prompt: PROMPT, title: 'Fix the flaky login test', config: { name: 'nightly' } };
const claimed = z.object({
  lease: z.object({ run_id: z.string(), token: z.string() }).nullable(),
});

type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<unknown>;

/** What an agent that says two sentences and uses one tool leaves in the log. */
function eventsOf(): object[] {
  const at = new Date().toISOString();
  const call_id = randomUUID();
  const message_id = randomUUID();
  return [
    { type: 'agent_started', harness: 'demo' },
    { type: 'message', role: 'assistant', message_id, delta: 'I look at the test first.' },
    { type: 'tool_call', call_id, title: 'npm test', kind: 'execute', status: 'pending' },
    { type: 'tool_call', call_id, status: 'completed', output_delta: 'ok' },
    { type: 'message', role: 'assistant', message_id, delta: ' It passes now.' },
    { type: 'turn_end', stop_reason: 'end_turn' },
  ].map((event, index) => ({ seq: index + 1, at, ...event }));
}

function poster(origin: string, prefix: string, key: string, connections: number) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const common = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post: Post = async (path, body, headers = {}) => {
    const answer = await pool.request({
      method: 'POST',
      path: prefix + path,
      headers: { ...common, ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    return JSON.parse(text);
  };
  return { post, close: () => pool.close() };
}

/** Takes one run and works it to its end; answers how long that took. */
async function work(post: Post, workerId: string): Promise<number | undefined> {
  const ask = { worker_id: workerId, capacity: 1, harnesses: ['demo'] };
  const asked = performance.now();
  const { lease } = claimed.parse(await post('/worker/claim', ask, { prefer: 'wait=5' }));
  if (!lease) return undefined;
  const headers = { 'x-runlink-lease': lease.token };
  const path = `/worker/runs/${lease.run_id}`;
  await post(`${path}/acknowledge`, {}, headers);
  await post(`${path}/events`, { events: eventsOf() }, headers);
  await post(`${path}/complete`, { state: 'SUCCEEDED', message: 'done', last_signal: 0 }, headers);
  return performance.now() - asked;
}

/** Makes `count` runs from some clients, while workers live as many. */
export async function liveLives(
  { origins, prefix, key, workerKey }: Place,
  { creators, workers, count }: { creators: number; workers: number; count: number },
): Promise<Lives> {
  const people = origins.map((origin) => poster(origin, prefix, key, creators));
  const hands = origins.map((origin) => poster(origin, prefix, workerKey, workers));
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
  const times: number[] = [];
  const left = { create: count, work: count };
  const began = performance.now();
  const creating = Array.from({ length: creators }, async (_, index) => {
    while (left.create > 0) {
      left.create -= 1;
      await at(people, index).post('/agent/runs', RUN);
    }
  });
  const working = Array.from({ length: workers }, async (_, index) => {
    while (left.work > 0) {
      left.work -= 1;
      const took = await work(at(hands, index).post, `bench-${index}`);
      if (took === undefined) left.work += 1;
      else times.push(took);
    }
  });
  await Promise.all([...creating, ...working]);
  const perSecond = (count / (performance.now() - began)) * 1000;
  await Promise.all([...people, ...hands].map(({ close }) => close()));
  return { perSecond, times };
}

/** Workers that each say a long log in batches of a hundred events; answers the events a second. */
export async function sayEvents(
  { origins: [origin = ''], prefix, key, workerKey }: Place,
  { workers, batches }: { workers: number; batches: number },
): Promise<Lives> {
  const person = poster(origin, prefix, key, 1);
  const hand = poster(origin, prefix, workerKey, workers);
  const began: { path: string; headers: Record<string, string> }[] = [];
  for (let worker = 0; worker < workers; worker += 1) {
    await person.post('/agent/runs', RUN);
    const ask = { worker_id: `bench-${worker}`, capacity: 1, harnesses: ['demo'] };
    const { lease } = claimed.parse(await hand.post('/worker/claim', ask));
    const path = `/worker/runs/${lease?.run_id ?? ''}`;
    const headers = { 'x-runlink-lease': lease?.token ?? '' };
    await hand.post(`${path}/acknowledge`, {}, headers);
    began.push({ path: `${path}/events`, headers });
  }
  const times: number[] = [];
  const from = performance.now();
  await Promise.all(
    began.map(async ({ path, headers }) => {
      for (let batch = 0; batch < batches; batch += 1) {
        const start = performance.now();
        await hand.post(path, { events: hundredEvents(batch) }, headers);
        times.push(performance.now() - start);
      }
    }),
  );
  const perSecond = ((workers * batches * 100) / (performance.now() - from)) * 1000;
  await Promise.all([person.close(), hand.close()]);
  return { perSecond, times };
}

function hundredEvents(batch: number): object[] {
  const at = new Date().toISOString();
  return Array.from({ length: 100 }, (_, index) => ({
    seq: batch * 100 + index + 1,
    at,
    type: 'message',
    role: 'assistant',
    message_id: `message-${batch}`,
    delta: 'I look at the flaky test first, ',
  }));
}

/** One client that makes a run, then works it, again and again. */
export async function liveAlone(place: Place, count: number): Promise<Lives> {
  const [origin = ''] = place.origins;
  const person = poster(origin, place.prefix, place.key, 1);
  const hand = poster(origin, place.prefix, place.workerKey, 1);
  const times: number[] = [];
  const began = performance.now();
  for (let life = 0; life < count; life += 1) {
    const start = performance.now();
    await person.post('/agent/runs', RUN);
    await work(hand.post, 'bench-alone');
    times.push(performance.now() - start);
  }
  const perSecond = (count / (performance.now() - began)) * 1000;
  await Promise.all([person.close(), hand.close()]);
  return { perSecond, times };
}
