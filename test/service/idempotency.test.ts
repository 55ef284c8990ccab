import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepOnceKeys } from '../../src/service/runs/create/idempotency.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const CLIENTS = 50;

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(startTestService));
});
afterAll(() => service.close());

const create = (body: object, key: string) =>
  runs.ask<Record<string, unknown>>('POST', '/agent/runs', body, { 'idempotency-key': key });
const count = async (): Promise<number> => {
  const { body } = await runs.ask<{ runs: unknown[] }>('GET', '/agent/runs?limit=500');
  return body.runs.length;
};

describe('Idempotency-Key (run-lifecycle.md, "One request, one run")', () => {
  it('makes one run of the same request from fifty clients at once, with fifty identical answers', async () => {
    const before = await count();
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, () => create({ prompt: 'once', title: 'a' }, 'same')),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await count()).toBe(before + 1);
  });

  it('does not mind the order of members', async () => {
    const first = await create({ prompt: 'p', title: 't' }, 'order');
    expect((await create({ title: 't', prompt: 'p' }, 'order')).body).toEqual(first.body);
  });

  it('refuses another body under the same key with 409, not to be repeated', async () => {
    await create({ prompt: 'one' }, 'reused');
    const again = await create({ prompt: 'two' }, 'reused');
    expect(again.status).toBe(409);
    expect(again.headers.get('retry-after')).toBeNull();
    expect(again.headers.get('x-should-retry')).toBe('false');
    expect(again.body['retryable']).toBe(false);
  });

  it('belongs to its caller: another person’s same key is another request', async () => {
    const mine = await create({ prompt: 'shared' }, 'shared');
    const other = await service.personalKey('default', 'colleague');
    const response = await service.request('POST', '/agent/runs', {
      key: other,
      body: { prompt: 'shared' },
      headers: { 'idempotency-key': 'shared' },
    });
    expect(await response.json()).not.toEqual(mine.body);
  });

  it('of a refused request stays free', async () => {
    expect((await create({ prompt: 'x', parent_run_id: 'none' }, 'refused')).status).toBe(400);
    expect((await create({ prompt: 'x' }, 'refused')).status).toBe(200);
  });

  it.each([
    ['/agent/schedules', { name: 's', cron_schedule: '0 3 * * *', enabled: false, prompt: 'p' }],
    ['/agent/identities', { name: 'a' }],
    ['/agent/keys', { name: 'k' }],
  ])('makes one of %s, with the same answer, and is forgotten after a day', async (path, body) => {
    const headers = { 'idempotency-key': randomUUID() };
    const { key } = runs;
    const post = async (sent: object) => {
      const answer = await service.request('POST', path, { key, body: sent, headers });
      return { status: answer.status, text: await answer.text() };
    };
    const all = await Promise.all(Array.from({ length: 8 }, () => post(body)));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(all[0]?.status).toBe(201);
    expect((await post({ ...body, name: 'another' })).status).toBe(409);
    const { db } = service.service.context;
    await db
      .updateTable('made_once')
      .set({ created_at: sql<Date>`now() - interval '25 hours'` })
      .execute();
    await sweepOnceKeys({ db });
    const later = await post(body);
    expect(later.status).toBe(201);
    expect(later.text).not.toBe(all[0]?.text);
  });

  it.each([
    ['/agent/runs', { prompt: 'p' }, 'agent_identity_uid'],
    ['/agent/schedules', { name: 's', cron_schedule: '0 3 * * *', prompt: 'p' }, 'agent_uid'],
  ])('answers %s again although it would be refused by now', async (path, body, agent) => {
    const ask = <T>(method: string, at: string, sent?: object, headers = {}) =>
      runs.ask<T>(method, at, sent, headers);
    const { body: made } = await ask<{ uid: string }>('POST', '/agent/identities', { name: 'a' });
    const once = { 'idempotency-key': randomUUID() };
    const asked = { ...body, [agent]: made.uid };
    const first = await ask('POST', path, asked, once);
    expect(first.status).toBeLessThan(300);
    await ask('DELETE', `/agent/identities/${made.uid}`);
    expect((await ask('POST', path, asked)).status).toBe(404);
    expect((await ask('POST', path, asked, once)).body).toEqual(first.body);
    expect((await ask('POST', path, { ...asked, prompt: 'q' }, once)).status).toBe(404);
  });

  it('that is empty or endless is refused, naming the header', async () => {
    const answer = await create({ prompt: 'x' }, 'k'.repeat(600));
    expect([answer.status, answer.body['field']]).toEqual([400, 'Idempotency-Key']);
  });
});
