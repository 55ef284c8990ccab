import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, type Client } from '../../src/client/client.ts';
import { allRuns } from '../../src/client/pages.ts';
import { watchAllRuns } from '../../src/client/watch-all-runs.ts';
import { watchRun } from '../../src/client/watch-run.ts';
import { skipWaits } from '../support/skip-waits.ts';
import { answer, breakOff, startScripted, type Script } from '../support/scripted-http.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const run = (state: string, updated: number, id = 'r1'): object => ({
  run_id: id,
  state,
  updated_at: new Date(updated).toISOString(),
});
const clientOf = (url: string): Client => createClient({ baseUrl: `${url}/api/v1`, apiKey: 'k' });

/** A service that holds requests: each is answered with what its ETag has not seen. */
function holding(values: readonly object[]): Script {
  let next = 0;
  return (request, response) => {
    const index = Math.min(next, values.length - 1);
    next += 1;
    const headers = { etag: `"${index}"`, 'preference-applied': 'wait=25' };
    return answer(200, values[index], headers)(request, response);
  };
}

async function states(client: Client): Promise<string[]> {
  const seen: string[] = [];
  for await (const item of watchRun(client, 'r1')) seen.push(item.state);
  return seen;
}

describe('the watch of one run', () => {
  it('yields each change at once where the service holds requests, and ends with the run', async () => {
    const values = ['QUEUED', 'PENDING', 'INPROGRESS', 'SUCCEEDED'].map((state, at) =>
      run(state, at),
    );
    const server = await startScripted(holding(values));
    expect(await states(clientOf(server.url))).toEqual([
      'QUEUED',
      'PENDING',
      'INPROGRESS',
      'SUCCEEDED',
    ]);
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      '"0"',
      '"1"',
      '"2"',
    ]);
    expect(server.seen.every(({ headers }) => headers['prefer'] === 'wait=25')).toBe(true);
  });

  it('yields nothing for a 304 and for an answer without news', async () => {
    const etag = { etag: '"1"', 'preference-applied': 'wait=25' };
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const held: Script = (_, response) => {
      vi.advanceTimersByTime(600);
      response.writeHead(304, etag).end();
    };
    const server = await startScripted(
      answer(200, run('INPROGRESS', 1), etag),
      held,
      answer(200, run('SUCCEEDED', 2), etag),
    );
    expect(await states(clientOf(server.url))).toEqual(['INPROGRESS', 'SUCCEEDED']);
    expect(server.seen).toHaveLength(3);
  });

  it('looks again after a while where requests are not held', async () => {
    const server = await startScripted(
      answer(200, run('INPROGRESS', 1)),
      answer(200, run('INPROGRESS', 1)),
      answer(200, run('FAILED', 2)),
    );
    const waits = skipWaits();
    expect(await states(clientOf(server.url))).toEqual(['INPROGRESS', 'FAILED']);
    expect(waits.map((ms) => ms > 1000)).toEqual([true, true]);
  });

  it('goes on after a broken connection', async () => {
    const server = await startScripted(breakOff, holding([run('SUCCEEDED', 1)]));
    expect(await states(clientOf(server.url))).toEqual(['SUCCEEDED']);
  });

  it('stops when it is told to', async () => {
    const server = await startScripted(answer(200, run('INPROGRESS', 1)));
    const controller = new AbortController();
    const watch = watchRun(clientOf(server.url), 'r1', { signal: controller.signal });
    await watch.next();
    controller.abort(new Error('enough'));
    await expect(watch.next()).rejects.toThrow('enough');
  });
});

type Ask = Client['ask'];
interface Change {
  id: string;
  at: number;
}

/** A list endpoint over changes that become visible one batch per held request. */
function fakeList(
  batches: readonly Change[][],
  pageSize: number,
): { client: Pick<Client, 'ask'>; done: Promise<void> } {
  const current = new Map<string, number>();
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let [version, next] = [0, 0];
  const advance = (): void => {
    for (const { id, at } of batches[next] ?? []) current.set(id, at);
    version += 1;
    next += 1;
  };
  const ask = (async (
    _resource: string,
    _operation: string,
    [query]: [Record<string, string>],
    options: { etag?: string },
  ) => {
    if (options.etag === `"${version}"`) {
      if (next >= batches.length) resolve();
      if (next > batches.length) return new Promise<never>(() => undefined);
      advance();
    }
    const after = Date.parse(query['updated_after'] ?? '');
    const all = [...current].filter(([, at]) => at > after).toSorted(([, a], [, b]) => a - b);
    const start = Number(query['cursor'] ?? 0);
    const page = all.slice(start, start + pageSize);
    const more = start + pageSize < all.length;
    const runs = page.map(([id, at]) => run('INPROGRESS', at, id));
    const page_info = {
      has_next_page: more,
      ...(more && { next_cursor: String(start + pageSize) }),
    };
    return { status: 200, etag: `"${version}"`, waited: true, value: { runs, page_info } };
  }) as unknown as Ask;
  return { client: { ask }, done };
}

describe('the watch of all runs', () => {
  it('hands out every change once, whatever changes together, on as many pages as it takes', async () => {
    const change = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      step: fc.nat(3000),
    });
    const history = fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        let clock = 1_000_000;
        const batches = steps.map((batch) => {
          const byRun = new Map(batch.map(({ id, step }) => [id, (clock += step + 1)]));
          return [...byRun].map(([id, at]) => ({ id, at }));
        });
        const { client, done } = fakeList(batches, 100);
        const seen: string[] = [];
        const collect = async (): Promise<void> => {
          for await (const item of watchAllRuns(client, { since: new Date(0) }))
            seen.push(`${item.run_id}@${item.updated_at}`);
        };
        const collecting = collect();
        await Promise.race([done, collecting]);
        const expected = batches.flat().map(({ id, at }) => `${id}@${new Date(at).toISOString()}`);
        expect(seen.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: LONG ? 1000 : 100, seed: 11 },
    );
  });

  it('asks oldest change first, from two seconds before the given time', async () => {
    const server = await startScripted(answer(200, { runs: [run('QUEUED', 5000)] }));
    const watch = watchAllRuns(clientOf(server.url), { since: new Date(10_000) });
    await watch.next();
    expect(Object.fromEntries(server.seen[0]?.query ?? [])).toMatchObject({
      sort_by: 'updated_at',
      sort_order: 'asc',
      updated_after: '1970-01-01T00:00:08.000Z',
    });
  });
});

async function collectRuns(runs: AsyncIterable<{ run_id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of runs) ids.push(item.run_id);
  return ids;
}

describe('a burst of changes', () => {
  it('is read to its last page before anything is waited for', async () => {
    const page = (ids: string[], next?: string): object => ({
      runs: ids.map((id, index) => run('QUEUED', 20_000 + index, id)),
      page_info: { has_next_page: next !== undefined, ...(next && { next_cursor: next }) },
    });
    const server = await startScripted(
      answer(200, page(['a', 'b'], 'c1'), { etag: '"1"' }),
      answer(200, page(['c', 'd'], 'c2')),
      answer(200, page(['e'])),
    );
    const watch = watchAllRuns(clientOf(server.url), { since: new Date(10_000) });
    const ids: string[] = [];
    while (ids.length < 5) ids.push((await watch.next()).value.run_id);
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(server.seen.map(({ query }) => query.get('cursor'))).toEqual([null, 'c1', 'c2']);
  });
});

describe('reading all pages', () => {
  it('follows the cursor until there is none', async () => {
    const page = (id: string, next?: string): object => ({
      runs: [run('QUEUED', 1, id)],
      page_info: { has_next_page: next !== undefined, ...(next && { next_cursor: next }) },
    });
    const server = await startScripted(
      answer(200, page('a', 'c1')),
      answer(200, page('b', 'c2')),
      answer(200, page('c')),
    );
    const ids = await collectRuns(allRuns(clientOf(server.url), { state: ['QUEUED'] }));
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(server.seen.map(({ query }) => query.get('cursor'))).toEqual([null, 'c1', 'c2']);
    expect(server.seen.every(({ query }) => query.get('state') === 'QUEUED')).toBe(true);
  });

  it('does not run in circles with a service that does', async () => {
    const page = {
      runs: [run('QUEUED', 1)],
      page_info: { has_next_page: true, next_cursor: 'same' },
    };
    const server = await startScripted(answer(200, page));
    await expect(collectRuns(allRuns(clientOf(server.url)))).rejects.toMatchObject({
      kind: 'unreadable',
    });
  });
});
