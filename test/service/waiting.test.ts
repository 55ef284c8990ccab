import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WAITS_PER_KEY } from '../../src/service/waiting/wait-slots.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;
let key: string;

beforeAll(async () => {
  ({ service, runs, key } = await startDriver(startTestService));
});
afterAll(() => service.close());

async function look(path: string, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const response = await service.request('GET', path, {
    key,
    headers,
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get('etag') ?? '',
    applied: response.headers.get('preference-applied'),
    text,
  };
}

describe('Prefer: wait (run-lifecycle.md, "Waiting")', () => {
  it.each(['/agent/runs', '/agent/runs/ID'])(
    'answers GET %s at once without If-None-Match',
    async (path) => {
      const target = path.replace('ID', await runs.create());
      const first = await look(target, { prefer: 'wait=25' });
      expect(first).toMatchObject({ status: 200, applied: 'wait=25' });
      expect(first.etag).toMatch(/^"[\w-]+"$/);
    },
  );

  it('answers at once when the tag is another, and 304 at once when nobody asked to wait', async () => {
    const id = await runs.create();
    const { etag } = await look(`/agent/runs/${id}`);
    expect(await look(`/agent/runs/${id}`, { 'if-none-match': etag })).toMatchObject({
      status: 304,
      etag,
      text: '',
    });
    const other = await look(`/agent/runs/${id}`, { 'if-none-match': '"x"', prefer: 'wait=25' });
    expect(other.status).toBe(200);
  });

  it('holds a run until it changes', async () => {
    const id = await runs.create();
    const { etag } = await look(`/agent/runs/${id}`);
    const held = look(`/agent/runs/${id}`, { 'if-none-match': etag, prefer: 'wait=25' });
    await runs.ask('POST', `/agent/runs/${id}/cancel`);
    const answer = await held;
    expect(answer).toMatchObject({ status: 200, applied: 'wait=25' });
    expect(answer.text).toContain('CANCELLED');
    expect(answer.etag).not.toBe(etag);
  });

  it('holds a list until that list’s answer would be another', async () => {
    const query = '/agent/runs?state=SUCCEEDED';
    const { etag } = await look(query);
    const held = look(query, { 'if-none-match': etag, prefer: 'wait=25' });
    await runs.create({ title: 'another queued one' });
    const lease = await runs.begin();
    await runs.complete(lease, 'SUCCEEDED');
    expect((await held).text).toContain(lease.run_id);
  });

  it('says 304 when nothing changed in time', async () => {
    const id = await runs.create();
    const { etag } = await look(`/agent/runs/${id}`);
    const held = await look(`/agent/runs/${id}`, { 'if-none-match': etag, prefer: 'wait=1' });
    expect(held).toMatchObject({ status: 304, etag, applied: 'wait=1' });
  });

  it.each([
    ['wait=9999', 'wait=25'],
    ['respond-async, wait = "9"; x=y', 'wait=9'],
    ['await=9', null],
  ])('takes %s for %s: never more than 25 seconds', async (prefer, applied) => {
    const id = await runs.create();
    expect((await look(`/agent/runs/${id}`, { prefer })).applied).toBe(applied);
  });

  it('answers at once, and says that it did not wait, when a key has too many requests waiting', async () => {
    const id = await runs.create();
    const { etag } = await look(`/agent/runs/${id}`);
    const headers = { 'if-none-match': etag, prefer: 'wait=20' };
    const stop = new AbortController();
    const held = Array.from({ length: WAITS_PER_KEY + 5 }, () =>
      look(`/agent/runs/${id}`, headers, stop.signal).catch(() => undefined),
    );
    const over = await Promise.race(held);
    expect(over).toMatchObject({ status: 304, applied: null });
    const { totalCount, idleCount } = service.service.context.database.pool;
    expect(totalCount - idleCount).toBeLessThanOrEqual(10);
    stop.abort();
    await Promise.all(held);
  });
});
