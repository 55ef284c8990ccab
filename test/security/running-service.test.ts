import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { createPagesBackend } from '../../src/cli/serve/pages-backend.ts';
import type { Lease } from '../../src/contract/lease.ts';
import { createPages } from '../../src/pages/create-pages.ts';
import { SIGNED_URL_SECONDS } from '../../src/service/blobs/sign.ts';
import { startWorker } from '../../src/worker/main.ts';
import { serveApp, type Served } from '../support/browser.ts';
import { rowsWith } from '../support/database-rows.ts';
import { harmIn, HOSTILE } from '../support/hostile.ts';
import { hiddenFields, visitorOf } from '../support/page-visitor.ts';
import { driveRuns, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_HARNESSES, script } from '../support/worker-remote.ts';

let service: TestService;
let pages: Served;
let runs: RunDriver;
let key = '';
let workerKey = '';

beforeAll(async () => {
  ({ service, runs, key, workerKey } = await startDriver(() =>
    startTestService({ config: { harnesses: FAKE_HARNESSES } }),
  ));
  const behind = { log: silentLog, closing: new AbortController().signal };
  pages = await serveApp((publicUrl) =>
    createPages(createPagesBackend(service.service, { ...behind, publicUrl })),
  );
});
afterAll(async () => {
  await pages.close();
  await service.close();
});

async function begin(change: Record<string, unknown> = {}): Promise<Lease> {
  await runs.create(change);
  return runs.begin();
}

const said = { type: 'message', message_id: 'm', role: 'assistant', delta: 'd' };
/** Reports what the agent did; answers the status. */
async function say(lease: Lease, ...events: object[]): Promise<number> {
  const at = new Date().toISOString();
  const sent = events.map((event, index) => ({ seq: index + 1, at, ...event }));
  return (await runs.report(lease, 'events', { events: sent })).status;
}

/** A signed-in person’s browser, and the lines of its cookies. */
async function signIn() {
  const visitor = visitorOf(pages.origin, fetch);
  return { visitor, lines: (await visitor.signIn(key)).headers.getSetCookie() };
}

it('another team’s ids are answered on every way to them in the words for an unknown id (threats.md S2)', async () => {
  const lease = await begin();
  await say(lease, said);
  const uid = await runs.upload(lease, 'a.txt');
  await runs.complete(lease, 'SUCCEEDED');
  const timed = { name: 'n', cron_schedule: '0 3 * * *', prompt: 'p' };
  const { body: schedule } = await runs.ask<{ id: string }>('POST', '/agent/schedules', timed);
  const named = { name: 'n' };
  const { body: identity } = await runs.ask<{ uid: string }>('POST', '/agent/identities', named);
  const stranger = driveRuns(service, await service.personalKey('others', 'eve'), workerKey);
  const ways: [method: string, path: string, id: string, body?: object][] = [
    ['POST', '/agent/runs/ID/followups', lease.run_id, { message: 'm' }],
    ['POST', '/agent/runs/ID/cancel', lease.run_id],
    ['DELETE', '/agent/schedules/ID', schedule.id],
    ['DELETE', '/agent/identities/ID', identity.uid],
    ['GET', '/agent/runs/ID', lease.run_id],
    ['GET', '/agent/runs/ID/transcript', lease.run_id],
    ['GET', '/agent/artifacts/ID', uid],
    ['GET', '/agent/artifacts/ID/download', uid],
    ['GET', '/agent/schedules/ID', schedule.id],
    ['GET', '/agent/identities/ID', identity.uid],
  ];
  for (const [method, path, known, body] of ways) {
    const told = async (id: string) => {
      const answer = await stranger.ask(method, path.replace('ID', id), body);
      return [answer.status, JSON.stringify(answer.body).replaceAll(id, 'ID')];
    };
    expect(await told(known)).toEqual([404, (await told(randomUUID()))[1]]);
    if (method !== 'GET') continue;
    const own = await service.request(method, path.replace('ID', known), { key });
    expect(own.status, `with ${path}`).toBeLessThan(400);
  }
});

it('a signed link works as given and in its time, as a harmless attachment, and not otherwise (threats.md S4)', async () => {
  const lease = await begin();
  const [uid, other] = [await runs.upload(lease, 'a.html'), await runs.upload(lease, 'b.html')];
  await runs.complete(lease, 'SUCCEEDED');
  const found = await service.request('GET', `/agent/artifacts/${uid}/download`, { key });
  const link = found.headers.get('location') ?? '';
  for (const wrong of [
    link.replace(uid, other),
    link.replace(/expires=\d/, 'expires=9'),
    link.replace(/signature=./, (start) => (start.endsWith('A') ? 'signature=B' : 'signature=A')),
    link.replace(/signature=[^&]*/, 'signature='),
    link.replace('attachment', 'inline'),
  ])
    expect((await fetch(wrong)).status, `with ${wrong}`).toBe(403);
  const { status, headers } = await fetch(link);
  expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="a\.html"/);
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ now: Date.now() + (SIGNED_URL_SECONDS + 1) * 1000, toFake: ['Date'] });
  expect((await fetch(link)).status).toBe(403);
});

it('hostile titles, Markdown, file names and terminal output stay text on a run’s pages (threats.md S5)', async () => {
  const { visitor } = await signIn();
  for (const text of HOSTILE) {
    const lease = await begin({ title: `IN-TITLE ${text}`, prompt: `IN-PROMPT\n\n${text}` });
    const delta = `IN-WORDS [x](javascript:1)\n\n${text}`;
    const call = { type: 'tool_call', call_id: 'c', kind: 'execute', title: `IN-TOOL ${text}` };
    const output_delta = `IN-OUTPUT \u001B[31m\u001B]8;;javascript:1\u0007${text}`;
    expect(await say(lease, { ...said, delta }, { ...call, output_delta })).toBe(200);
    await runs.upload(lease, `IN-NAME ${text.replaceAll(/[/\\\p{C}]/gu, '_')}`);
    await runs.complete(lease, 'SUCCEEDED');
    const paths = [`/runs/${lease.run_id}`, `/runs/${lease.run_id}/artifacts`];
    const shown = await Promise.all(paths.map((path) => visitor.get(path)));
    const html = (await Promise.all(shown.map((page) => page.clone().text()))).join('');
    for (const place of ['TITLE', 'PROMPT', 'WORDS', 'TOOL', 'OUTPUT', 'NAME'])
      expect(html, `with ${text}`).toContain(`IN-${place}`);
    for (const page of shown) expect(await harmIn(page), `with ${text}`).toEqual([]);
    expect(html).not.toContain('IN-OUTPUT \u001B');
  }
});

it('a list takes no cursor but its own for the same sort, and SQL in a filter finds nothing (threats.md S10)', async () => {
  for (const title of ['one', 'two']) await runs.complete(await begin({ title }), 'SUCCEEDED');
  type Page = { runs: object[]; page_info: { next_cursor?: string } };
  const list = (query: Record<string, string>) =>
    runs.ask<Page>('GET', `/agent/runs?${new URLSearchParams(query).toString()}`);
  const all = (await list({ limit: '500' })).body.runs.length;
  const { next_cursor: cursor = '' } = (await list({ limit: '1' })).body.page_info;
  expect((await list({ cursor })).status).toBe(200);
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString('latin1').replace(/"[^"]*"\]$/, `"${randomUUID()}"]`);
  const forged = ['x', cursor.slice(4), Buffer.from(text, 'latin1').toString('base64url')];
  for (const wrong of forged)
    expect((await list({ cursor: wrong })).status, `with ${wrong}`).toBe(400);
  expect((await list({ cursor, sort_by: 'title' })).status).toBe(400);
  expect((await list({ cursor, sort_order: 'asc' })).status).toBe(400);
  for (const attack of ["' or '1'='1", "x'; delete from runlink.runs; --", "') or true --"]) {
    expect((await list({ sort_by: attack })).status).toBe(400);
    for (const field of ['name', 'creator', 'executor', 'model_id', 'automation_id', 'q'])
      expect(await list({ [field]: attack })).toMatchObject({ status: 200, body: { runs: [] } });
  }
  expect((await list({ limit: '500' })).body.runs.length).toBe(all);
});

it('another site sends no form in a person’s name, frames no page, and gets no cookie (threats.md S11)', async () => {
  const { visitor, lines } = await signIn();
  const { run_id: id } = await begin();
  const [page, cancel] = [`/runs/${id}`, `/runs/${id}/cancel`];
  const fields = hiddenFields(await (await visitor.get(page)).text(), cancel);
  for (const origin of ['https://evil.example', 'null', service.url])
    expect((await visitor.post(cancel, fields, { origin })).status, `with ${origin}`).toBe(403);
  for (const form_token of ['', 'x'.repeat(43)])
    expect((await visitor.post(cancel, { ...fields, form_token })).status).toBe(403);
  expect((await runs.get(id)).state).toBe('INPROGRESS');
  expect((await visitor.post(cancel, fields)).status).toBe(303);
  expect((await runs.get(id)).state).toBe('CANCELLED');
  for (const path of [page, '/runs', '/login', '/settings', '/nothing']) {
    const policy = (await visitor.get(path)).headers.get('content-security-policy');
    expect(policy, `with ${path}`).toContain("frame-ancestors 'none'");
  }
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/^(?=.*; HttpOnly).*; SameSite=Lax/);
});

it('a worker that lost its lease gets 409 for whatever it reports, and changes nothing (threats.md S12)', async () => {
  const id = await runs.create();
  const lost = await runs.claim();
  if (lost?.run_id !== id) throw new Error('another run was claimed');
  expect((await runs.report(lost, 'release', { reason: 'r' })).status).toBe(200);
  const held = await runs.begin();
  expect(held.run_id).toBe(id);
  // The service counts ended runs for itself meanwhile.
  const rows = async (): Promise<string[]> =>
    (await rowsWith(service, id)).filter((row) => !row.startsWith('runlink.statistics_'));
  const before = await rows();
  expect(before.length).toBeGreaterThan(2);
  expect(await say(lost, said)).toBe(409);
  const end = { state: 'FAILED', message: 'm', last_signal: 0 };
  const calls = { heartbeat: {}, release: { reason: 'r' }, complete: end };
  for (const [action, body] of Object.entries(calls))
    expect((await runs.report(lost, action, body)).status, `with ${action}`).toBe(409);
  expect(await rows()).toEqual(before);
  expect((await runs.complete(held, 'SUCCEEDED')).body).toMatchObject({ state: 'SUCCEEDED' });
});

it('an agent in its sandbox sees no variable of its worker, no other process and no network (threats.md S13)', async () => {
  const neighbour = spawn('sleep', ['31536']);
  onTestFinished(() => void neighbour.kill());
  const worker = await startWorker({
    baseUrl: service.baseUrl,
    apiKey: workerKey,
    dataDir: temporaryDirectory(),
    harnesses: FAKE_HARNESSES,
    environment: { PATH: process.env['PATH'], OPERATORS_KEY: 'value-of-the-operator' },
    sandbox: 'bwrap',
    network: 'none',
    log: silentLog,
  });
  onTestFinished(() => worker.drain(0));
  const probe = `fetch("${service.url}/health").then(() => "reached", () => "cut off").then(console.log)`;
  const look = `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; ${process.execPath} -e '${probe}'`;
  const prompt = script({ shell: `env; ${look}` }, { say: 'done' });
  const id = await runs.create({ prompt, config: { harness: { type: 'fake' } } });
  await expect.poll(async () => (await runs.get(id)).state, { timeout: 60_000 }).toBe('SUCCEEDED');
  const { headers } = await service.request('GET', `/agent/runs/${id}/transcript`, { key });
  const seen = await (await fetch(headers.get('location') ?? '')).text();
  expect(seen).toMatch(/fake-agent-\w+\.mjs[^]*cut off\\n/);
  for (const hidden of ['OPERATORS_KEY', 'value-of-the-operator', 'VITEST', '31536'])
    expect(seen).not.toContain(hidden);
});
