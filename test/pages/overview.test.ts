import { describe, expect, it } from 'vitest';
import { createFakeBackend, NO_RUNS } from '../support/fake-pages-backend.ts';
import { createVisitor } from '../support/page-visitor.ts';

const DAYS = ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'] as const;
const SOME = { ...NO_RUNS, runs: 4, succeeded: 3, failed: 1, success_rate: 0.75, cost_usd: 8 };

/** The page over two days, and what the service is asked for by it and by its links. */
async function visit() {
  const backend = createFakeBackend();
  const asked: URLSearchParams[] = [];
  const api = backend.api.bind(backend);
  backend.api = (request, session) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith('/agent/runs')) asked.push(searchParams);
    if (!pathname.endsWith('/agent/statistics')) return api(request, session);
    asked.push(searchParams);
    const body = {
      from: DAYS[0],
      to: DAYS[1],
      bucket: 'day',
      total: SOME,
      buckets: DAYS.map((start, at) => ({ ...(at === 0 ? SOME : NO_RUNS), start })),
      groups: [
        { ...SOME, key: 'octo/shop', name: 'octo/shop', merged_pull_requests: 2 },
        { ...NO_RUNS, key: null, name: 'No repository' },
      ],
      now: { queued: 2, working: 3, blocked: 1 },
    };
    return Promise.resolve(Response.json(body));
  };
  const visitor = createVisitor(backend);
  await visitor.signIn();
  return { visitor, asked, backend };
}

describe('the overview', () => {
  it('shows where runs stand, how they went and what they cost, as a chart and as tables', async () => {
    const { visitor } = await visit();
    const page = await (await visitor.get('/overview?by=repository')).text();
    for (const text of ['75 %', '$8.00', '$4.00', 'octo/shop', '2026-11-20: 4 runs'])
      expect(page).toContain(text);
    expect(page).toMatch(/<rect class="failed" x="50.0" y="0.0" width="400.0" height="30.0">/);
    expect(page).not.toContain('style=');
  });

  it('says how many slots there are and why the oldest run waits', async () => {
    const { visitor, backend } = await visit();
    expect(await (await visitor.get('/overview')).text()).toContain('no worker is connected');
    const at = DAYS[0];
    const worker = { worker_id: 'w', worker_host: null, sandbox: null, version: null };
    const busy = { harnesses: [], working: 3, free: 2, runs: [] };
    backend.workers.push({ ...worker, ...busy, connected_at: at, last_seen_at: at });
    const message = 'Number 1 in line for 1 worker, none with room.';
    backend.addRun({ state: 'QUEUED', waiting: { reason: 'in_line', message } });
    const page = await (await visitor.get('/overview')).text();
    expect(page).toContain('of 5 slots');
    expect(page).toContain(message);
  });

  it('leads from each bar and each row to just those runs', async () => {
    const { visitor, asked } = await visit();
    const page = await (await visitor.get('/overview?by=repository')).text();
    const links = [...page.matchAll(/href="(\/runs\?[^"]+)"/g)].map((it) => it[1] ?? '');
    for (const link of new Set(links)) {
      const answer = await visitor.get(link.replaceAll('&amp;', '&'));
      expect(answer.status).toBe(200);
    }
    const queries = () => asked.map((query) => decodeURIComponent(query.toString()));
    const has = (...parts: string[]) =>
      queries().some((query) => parts.every((part) => query.includes(part)));
    expect(has(`created_after=${DAYS[0]}`, `created_before=${DAYS[1]}`)).toBe(true);
    expect(has('metadata[runlink.repository]=octo/shop', `created_after=${DAYS[0]}`)).toBe(true);
    expect(page).toMatch(
      /<a href="\/runs\?state=ended&amp;repository=[^"]+" tabindex="-1" aria-hidden="true"/,
    );
    expect(has('without=repository', `created_after=${DAYS[0]}`)).toBe(true);
    expect(page).not.toMatch(/<td[^>]*>\s*<svg/);
    await visitor.get('/runs?person=%40octocat');
    await visitor.get('/runs?person=u-1');
    expect(has('person=@octocat')).toBe(true);
    expect(has('person=u-1')).toBe(true);
    const ended = ['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'];
    expect(has(`created_after=${DAYS[0]}`, ...ended.map((it) => `state=${it}`))).toBe(true);
    expect(has('state=BLOCKED', 'sort_order=asc')).toBe(true);
  });

  it('takes nothing unknown from its address', async () => {
    const { visitor, asked } = await visit();
    expect((await visitor.get('/overview?by=%22&days=1e9')).status).toBe(200);
    expect(asked.map((query) => query.get('group_by'))).toContain('environment');
  });
});
