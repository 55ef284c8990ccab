import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import type { BrowserContext, Page } from 'playwright-core';
import { startServing, type Serving } from '../../src/cli/serve/start-serving.ts';
import type { WorkerEventBody } from '../../src/contract/event.ts';
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';
import { createBuiltInWorkerKey } from '../../src/service/keys/manage-keys.ts';
import { openBrowser } from '../../test/support/browser.ts';
import { ms, summarise } from '../service/measure.ts';

// How quick the run page is, and how little that depends on how long the run is (README.md here).

const SIZES = [100, 10_000, 50_000];
const BATCH = 500;
const ROUNDS = 100;
const WARM_UP = 15;
/** Of the changes that the run of the first size shows: as many as its page takes. */
const LINES = 1900;
const PAGES = [
  '/runs',
  '/new',
  '/overview',
  '/schedules',
  '/schedules/new',
  '/agents',
  '/agents/new',
  '/environments',
  '/settings',
  '/settings/members',
  '/settings/audit',
  '/login',
];

interface Source {
  path: string;
  report(bodies: WorkerEventBody[]): Promise<void>;
}

function storyEvent(at: number): WorkerEventBody {
  if (at % 4 === 0) {
    const delta = `Step **${at}**: I look at \`src/file-${at}.ts\` and then run its tests.`;
    return { type: 'message', message_id: `m${at}`, role: 'assistant', delta };
  }
  return {
    type: 'tool_call',
    call_id: `c${at}`,
    kind: 'execute',
    title: `npm test -- file-${at}`,
    status: 'completed',
    exit_code: 0,
    output_delta: `\u001B[32m✔ case ${at}\u001B[39m\n`.repeat(12),
  };
}

async function post<T>(serving: Serving, key: string, path: string, body: unknown, token = '') {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    [LEASE_HEADER]: token,
  };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(serving.apiBaseUrl + path, init);
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function makeRun(serving: Serving, key: string, workerKey: string, size: number) {
  const { run_id } = await post<{ run_id: string }>(serving, key, '/agent/runs', { prompt: 'x' });
  const claim = { worker_id: 'bench', capacity: 1, harnesses: ['demo'] };
  const { lease } = await post<{ lease: Lease }>(serving, workerKey, '/worker/claim', claim);
  const own = `/worker/runs/${run_id}`;
  await post(serving, workerKey, `${own}/acknowledge`, {}, lease.token);
  setInterval(() => {
    void post(serving, workerKey, `${own}/heartbeat`, { last_signal: 0 }, lease.token).catch(
      () => undefined,
    );
  }, 5000).unref();
  let seq = 0;
  const source: Source = {
    path: `/runs/${run_id}`,
    async report(bodies) {
      const at = new Date().toISOString();
      const events = bodies.map((body) => ({ ...body, at, seq: (seq += 1) }));
      await post(serving, workerKey, `${own}/events`, { events }, lease.token);
    },
  };
  const events = Array.from({ length: size }, (_, at) => storyEvent(at));
  for (let at = 0; at < size; at += BATCH) await source.report(events.slice(at, at + BATCH));
  return source;
}

async function signIn(serving: Serving, key: string): Promise<string> {
  const answer = await fetch(`${serving.url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: serving.url },
    body: new URLSearchParams({ key }),
  });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function firstByte(url: string, cookie: string): Promise<{ first: number; body: string }> {
  const start = performance.now();
  const answer = await fetch(url, { headers: { cookie } });
  const first = performance.now() - start;
  return { first, body: await answer.text() };
}

interface Figures {
  size: number;
  times: number[];
  paints: number[];
  body: string;
}

/** Requests of all sizes by turns, so that what else the machine does falls on all alike. */
async function measurePages(sources: Map<number, Source>, origin: string, cookie: string) {
  const figures = [...sources.keys()].map((size): Figures => {
    return { size, times: [], paints: [], body: '' };
  });
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const figure of figures) {
      const path = sources.get(figure.size)?.path ?? '';
      const { first, body } = await firstByte(origin + path, cookie);
      if (round >= 0) figure.times.push(first);
      figure.body = body;
    }
  }
  return figures;
}

async function paint(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: 'load' });
  const painted = await page.evaluate(`new Promise((done) => {
    const seen = (list) => {
      const entry = list.getEntriesByName('first-contentful-paint')[0];
      if (entry) done(entry.startTime);
    };
    new PerformanceObserver(seen).observe({ type: 'paint', buffered: true });
  })`);
  return Number(painted);
}

function row({ size, times, paints, body }: Figures): string {
  const { p50, p99 } = summarise(times);
  const kilobytes = [body.length, gzipSync(body).length].map((bytes) => (bytes / 1024).toFixed(0));
  return `| ${[size, ms(p50), ms(p99), ...kilobytes, ms(summarise(paints).p50)].join(' | ')} |`;
}

/** From the worker's report to the text standing on the open page. */
async function liveDelay(page: Page, source: Source, at: number): Promise<number> {
  const text = `live event number ${at}.`;
  const seen = page.getByText(text).waitFor();
  const start = performance.now();
  await source.report([{ type: 'message', message_id: text, role: 'assistant', delta: text }]);
  await seen;
  return performance.now() - start;
}

/** How long until each of twenty windows of one browser shows what was reported, five times. */
async function manyWindows(
  context: BrowserContext,
  url: string,
  source: Source,
): Promise<number[]> {
  const windows = await Promise.all(Array.from({ length: 20 }, () => context.newPage()));
  for (const window of windows) await window.goto(url);
  const delays: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const text = `told to all, number ${at}.`;
    const start = performance.now();
    const seen = windows.map(async (window) => {
      await window.getByText(text).waitFor({ timeout: 120_000 });
      delays.push(performance.now() - start);
    });
    await source.report([{ type: 'message', message_id: text, role: 'assistant', delta: text }]);
    await Promise.all(seen);
  }
  for (const window of windows) await window.close();
  return delays;
}

/** Many files of code, all their lines new. */
function changes(): WorkerEventBody {
  const lines = LINES / 10;
  const code = Array.from(
    { length: lines },
    (_, at) => `+  const total${at} = sum("${at}", { by: ${at} });`,
  );
  const files = Array.from({ length: 10 }, (_, at) => {
    return { path: `src/file-${at}.ts`, status: 'added' as const, additions: lines, deletions: 0 };
  });
  const diffs = files.map(({ path }) => {
    const head = `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n`;
    return `${head}@@ -0,0 +1,${lines} @@\n${code.join('\n')}\n`;
  });
  return { type: 'changes', base_sha: 'a'.repeat(40), files, diff: diffs.join('') };
}

/** What a browser that knows nothing yet fetches for a page, compressed. */
async function weigh(origin: string, path: string, cookie: string): Promise<string> {
  const { body } = await firstByte(origin + path, cookie);
  const others = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, it = '']) => it);
  let all = gzipSync(body).length;
  for (const asset of new Set(others)) {
    all += gzipSync((await firstByte(origin + asset, cookie)).body).length;
  }
  const [document, sum] = [gzipSync(body).length, all].map((it) => (it / 1000).toFixed(1));
  return `| ${path} | ${document} kB | ${sum} kB |`;
}

async function weighAll(origin: string, run: string, cookie: string): Promise<void> {
  for (const path of [...PAGES, run, `${run}/changes`, `${run}/details`])
    console.log(await weigh(origin, path, cookie));
}

/** How long the search takes whose match stands early, in the middle, late and nowhere. */
async function findTimes(run: string, cookie: string): Promise<number[]> {
  const times: number[] = [];
  for (const q of ['file-101', 'file-25001', 'file-49999', 'nowhere']) {
    const start = performance.now();
    await fetch(`${run}/find?q=${q}`, { headers: { cookie }, redirect: 'manual' });
    times.push(performance.now() - start);
  }
  return times;
}

/** First bytes, then first paints, of all sizes. */
async function measureAll(
  sources: Map<number, Source>,
  origin: string,
  cookie: string,
  page: Page,
) {
  const figures = await measurePages(sources, origin, cookie);
  for (let at = 0; at < 15; at += 1) {
    for (const { size, paints } of figures) {
      paints.push(await paint(page, origin + (sources.get(size)?.path ?? '')));
    }
  }
  return figures;
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'runlink-bench-pages-'));
  const serving = await startServing({
    host: '127.0.0.1',
    port: 0,
    database: { dataDir, role: 'owner' },
    dataDir,
    config: operatorConfig.parse({}),
    variables: {},
    log: pino({ level: 'silent' }),
  });
  const key = (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim();
  const workerKey = (await createBuiltInWorkerKey(serving.service.context.db)).key;
  const cookie = await signIn(serving, key);
  const browser = await openBrowser();
  const context = await browser.newContext();
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: serving.url }]);
  const page = await context.newPage();
  const live = await makeRun(serving, key, workerKey, 1000);
  await page.goto(serving.url + live.path);
  const delays: number[] = [];
  for (let at = 0; at < 20; at += 1) delays.push(await liveDelay(page, live, at));
  const all = summarise(await manyWindows(context, serving.url + live.path, live));
  console.log(`report → visible in 20 windows: p50 ${ms(all.p50)} ms, max ${ms(all.max)} ms`);
  const sources = new Map<number, Source>();
  for (const size of SIZES) sources.set(size, await makeRun(serving, key, workerKey, size));
  await sources.get(SIZES[0] ?? 0)?.report([changes()]);
  const long = `${serving.url}${sources.get(SIZES.at(-1) ?? 0)?.path}`;
  const finds = await findTimes(long, cookie);
  const figures = await measureAll(sources, serving.url, cookie, page);
  console.log('| events | first byte p50 ms | p99 ms | KB | KB gzip | first paint p50 ms |');
  console.log(`|---|---|---|---|---|---|\n${figures.map(row).join('\n')}`);
  const { p50, max } = summarise(delays);
  console.log(`\nreport → visible on the open page: p50 ${ms(p50)} ms, max ${ms(max)} ms`);
  console.log(`found at 100, 25,001, 49,999, nowhere: ${finds.map(ms).join(', ')} ms\n`);
  await weighAll(serving.url, sources.get(SIZES[0] ?? 0)?.path ?? '', cookie);
  await browser.close();
  await serving.close(0);
  await rm(dataDir, { recursive: true, force: true });
}

await main();
