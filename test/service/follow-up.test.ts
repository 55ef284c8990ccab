import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Signal } from '../../src/contract/lease.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(startTestService));
});
afterAll(() => service.close());

interface FollowedUp {
  followup_id: string | null;
  outcome: string;
}

const say = (id: string, message: string, headers?: Record<string, string>) =>
  runs.ask<FollowedUp>('POST', `/agent/runs/${id}/followups`, { message }, headers);

describe('a follow-up (interface.md 3, 4.2)', () => {
  it('joins the prompt of a run that has not started', async () => {
    const id = await runs.create({ prompt: 'first' });
    expect((await say(id, 'second')).body).toEqual({ followup_id: null, outcome: 'queued_prompt' });
    const lease = await runs.begin();
    expect(lease.prompt).toBe('first\n\nsecond');
    await runs.complete(lease, 'SUCCEEDED');
  });

  it('reaches a working agent, and the run does not end before it was done', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    const beat = runs.report<{ signals: Signal[] }>(lease, 'heartbeat', { after_signal: 0 }, 20);
    const { body } = await say(id, 'one more thing');
    expect(body.outcome).toBe('queue_pending');
    expect((await beat).body.signals).toMatchObject([
      { id: 1, type: 'followup', followup_id: body.followup_id, message: 'one more thing' },
    ]);
    const early = await runs.complete(lease, 'SUCCEEDED', 0);
    expect(early.body).toMatchObject({ ended: false, signals: [{ id: 1 }] });
    expect((await runs.get(id)).state).toBe('INPROGRESS');
    expect((await runs.complete(lease, 'SUCCEEDED', 1)).body).toMatchObject({ ended: true });
  });

  it('sent while the run is being started waits for its first turn to end', async () => {
    const id = await runs.create();
    const lease = await runs.claim();
    expect((await say(id, 'quick')).body.outcome).toBe('queue_pending');
    expect(lease).not.toBeNull();
    if (!lease) return;
    await runs.report(lease, 'acknowledge');
    const beat = await runs.report<{ signals: Signal[] }>(lease, 'heartbeat', { after_signal: 0 });
    expect(beat.body.signals).toMatchObject([{ message: 'quick' }]);
    await runs.complete(lease, 'SUCCEEDED', 1);
  });

  it.each(['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'])(
    'to a run that ended %s starts a new execution that goes on from the last one',
    async (state) => {
      const id = await runs.create({ prompt: 'begin' });
      const first = await runs.begin();
      await runs.report(first, 'complete', {
        state,
        message: 'so far',
        last_signal: 0,
        session_id: 's-1',
        branch: 'runlink/x',
        usage: { total_tokens: 7 },
      });
      expect((await runs.get(id)).finished_at).not.toBeNull();
      const { body } = await say(id, 'go on');
      expect(body.outcome).toBe('handoff_execution');
      const reopened = await runs.get(id);
      expect(reopened).toMatchObject({ state: 'QUEUED', finished_at: null, prompt: 'begin' });
      const second = await runs.begin();
      expect(second).toMatchObject({
        run_id: id,
        attempt: 2,
        prompt: 'go on',
        resume: { session_id: 's-1', branch: 'runlink/x', worker_id: 'w1' },
        used: { total_tokens: 7 },
      });
      expect((await runs.report(first, 'heartbeat', {})).status).toBe(409);
      await runs.complete(second, 'SUCCEEDED', 1);
    },
  );

  it('without a word continues a run that worked and has ended, and no other (interface.md 4.2)', async () => {
    const id = await runs.create({ prompt: 'begin' });
    const empty = { status: 400, body: { detail: expect.stringContaining('message') } };
    expect(await runs.ask('POST', `/agent/runs/${id}/followups`, {})).toMatchObject(empty);
    const lease = await runs.begin();
    expect(await runs.ask('POST', `/agent/runs/${id}/followups`, {})).toMatchObject(empty);
    await runs.complete(lease, 'SUCCEEDED', 0);
    const { body } = await runs.ask('POST', `/agent/runs/${id}/followups`, { message: ' ' });
    expect(body).toMatchObject({ outcome: 'handoff_execution' });
    const second = await runs.begin();
    expect(second).toMatchObject({ run_id: id, prompt: 'Please continue.' });
    await runs.complete(second, 'SUCCEEDED', 1);
    const unbegun = await runs.create();
    await runs.ask('POST', `/agent/runs/${unbegun}/cancel`);
    expect(await runs.ask('POST', `/agent/runs/${unbegun}/followups`, {})).toMatchObject(empty);
  });

  it('keeps its order when many come at once, and none is lost', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, index) => say(id, `message ${index}`)),
    );
    expect(new Set(sent.map(({ body }) => body.followup_id)).size).toBe(20);
    const { body } = await runs.report<{ signals: Signal[] }>(lease, 'heartbeat', {});
    expect(body.signals.map((signal) => signal.id)).toEqual(sent.map((_, index) => index + 1));
    await runs.complete(lease, 'SUCCEEDED', 20);
  });

  it('is never lost when the run ends in the same instant', async () => {
    for (let round = 0; round < 15; round += 1) {
      const id = await runs.create();
      const lease = await runs.begin();
      const [ended, told] = await Promise.all([
        runs.complete(lease, 'SUCCEEDED', 0),
        say(id, `race ${round}`),
      ]);
      const handedOver = told.body.outcome === 'handoff_execution';
      expect(ended.body.ended).toBe(handedOver);
      const holder = handedOver ? await runs.begin() : lease;
      expect(holder.run_id).toBe(id);
      const heard = handedOver ? holder.prompt : JSON.stringify(ended.body.signals);
      expect(heard).toContain(`race ${round}`);
      await runs.complete(holder, 'SUCCEEDED', 1);
    }
  });

  it('that nobody acted on starts a new execution when the agent failed', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    await say(id, 'please also this');
    expect((await runs.complete(lease, 'ERROR', 0)).body).toMatchObject({ ended: true });
    expect((await runs.get(id)).state).toBe('QUEUED');
    const next = await runs.begin();
    expect(next.prompt).toBe('please also this');
    await runs.complete(next, 'SUCCEEDED', 1);
  });

  it('sent twice with one Idempotency-Key counts once', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    const headers = { 'idempotency-key': 'k1' };
    const [one, two] = await Promise.all([say(id, 'once', headers), say(id, 'once', headers)]);
    expect(two.body).toEqual(one.body);
    expect((await say(id, 'other', headers)).status).toBe(409);
    const { body } = await runs.report<{ signals: Signal[] }>(lease, 'heartbeat', {});
    expect(body.signals).toHaveLength(1);
    await runs.complete(lease, 'SUCCEEDED', 1);
  });

  it('without words is refused, naming the field', async () => {
    const id = await runs.create();
    const answer = await runs.ask<{ field: string }>('POST', `/agent/runs/${id}/followups`, {});
    expect([answer.status, answer.body.field]).toEqual([400, 'message']);
    await runs.complete(await runs.begin(), 'SUCCEEDED');
  });
});

it('a follow-up decides how its execution works: as it says, else normally; an answer goes on as before', async () => {
  const id = await runs.create({ mode: 'plan' });
  const modes: string[] = [];
  const work = async (state: string, ...followups: object[]): Promise<void> => {
    const lease = await runs.begin();
    modes.push(lease.mode);
    await runs.complete(lease, state, 9);
    for (const body of followups)
      await runs.ask('POST', `/agent/runs/${id}/followups`, { message: 'm', ...body });
  };
  await work('BLOCKED', {});
  await work('SUCCEEDED', {});
  await work('FAILED', { mode: 'plan' }, {});
  await work('SUCCEEDED', {}, { mode: 'orchestrate' });
  await work('SUCCEEDED');
  expect(modes).toEqual(['plan', 'plan', 'normal', 'plan', 'orchestrate']);
});

it('a run of its own that goes on with a conversation: its agent is told what was said (interface.md 4.2)', async () => {
  const id = await runs.create({ prompt: 'Which port?' });
  const first = await runs.begin();
  const at = new Date().toISOString();
  const said = { type: 'message', role: 'assistant', message_id: 'm', delta: 'It is 8787.' };
  await runs.report(first, 'events', { events: [{ seq: 1, at, ...said }] });
  const end = { state: 'SUCCEEDED', message: 'done', last_signal: 0, branch: 'runlink/port' };
  await runs.report(first, 'complete', end);
  const { conversation_id } = await runs.get(id);
  const prompts: string[] = [];
  for (const prompt of ['And the host?', undefined]) {
    const next = await runs.create({ conversation_id, prompt });
    const lease = await runs.begin();
    expect(lease).toMatchObject({ run_id: next, attempt: 1 });
    expect((await runs.get(next)).prompt).toBe(prompt ?? '');
    prompts.push(lease.prompt);
    await runs.complete(lease, 'SUCCEEDED');
  }
  const before = /^What happened .*Which port\?.*It is 8787\..*runlink\/port/s;
  expect(prompts[0]).toMatch(before);
  expect(prompts[0]).toMatch(/\n\nAnd the host\?$/);
  expect(prompts[1]).toMatch(before);
  expect(prompts[1]).toMatch(/And the host\?.*\n\nPlease continue\.$/s);
  const alone = await runs.create({ prompt: 'begin anew' });
  const lease = await runs.begin();
  expect([lease.run_id, lease.prompt]).toEqual([alone, 'begin anew']);
  await runs.complete(lease, 'SUCCEEDED');
});
