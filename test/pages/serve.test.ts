import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Serving } from '../../src/cli/serve/start-serving.ts';
import type { WorkerEventBody } from '../../src/contract/event.ts';
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';
import { createBuiltInWorkerKey, createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { closeContexts, shareBrowser } from '../support/browser.ts';
import { servePages, type ServedPages } from '../support/served-pages.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

let pages: ServedPages;
let serving: Serving;
let browser: Browser;
let shared: Page;
let ownerKey: string;
let workerKey: string;

beforeAll(async () => {
  pages = await servePages();
  ({ serving, ownerKey } = pages);
  workerKey = (await createBuiltInWorkerKey(serving.service.context.db)).key;
  browser = await shareBrowser();
  shared = await browser.newPage();
});
afterAll(async () => {
  await closeContexts(browser);
  await pages.close();
});

async function call<T>(
  key: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(serving.apiBaseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** A new run, and how its worker would report on it. */
async function startRun(title: string) {
  const { run_id } = await call<{ run_id: string }>(ownerKey, '/agent/runs', {
    prompt: 'Do it.',
    title,
  });
  let lease: Lease | undefined;
  let seq = 0;
  const report = (action: string, body: unknown) =>
    call(workerKey, `/worker/runs/${run_id}/${action}`, body, {
      [LEASE_HEADER]: lease?.token ?? '',
    });
  return {
    path: `/runs/${run_id}`,
    async begin() {
      const claim = { worker_id: 'w', capacity: 1, harnesses: ['demo'] };
      // On a slow machine runs of earlier tests come back, whose leases nobody keeps alive.
      do ({ lease } = await call<{ lease: Lease }>(workerKey, '/worker/claim', claim));
      while (lease.run_id !== run_id);
      await report('acknowledge', {});
    },
    async say(...bodies: WorkerEventBody[]) {
      const at = new Date().toISOString();
      const events = bodies.map((body) => ({ ...body, at, seq: (seq += 1) }));
      await report('events', { events });
    },
    async upload(name: string, type: string, content: Buffer) {
      const query = new URLSearchParams({ filepath: name, mime_type: type });
      const response = await fetch(
        `${serving.apiBaseUrl}/worker/runs/${run_id}/artifacts?${query.toString()}`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${workerKey}`,
            'content-type': type,
            [LEASE_HEADER]: lease?.token ?? '',
          },
          body: new Uint8Array(content),
        },
      );
      expect(response.status).toBe(200);
    },
    end: () => report('complete', { state: 'SUCCEEDED', message: 'All done.', last_signal: 0 }),
  };
}

/** On the one page, since a new one costs Chromium more than all that a test does on it. */
async function signIn(key: string, next = ''): Promise<Page> {
  const page = shared;
  page.removeAllListeners();
  await page.context().clearCookies();
  await page.goto(serving.url + (next === '' ? '/login' : next));
  await page.fill('#key', key);
  await page.click('button.primary');
  return page;
}

describe('the pages of a real service', () => {
  it('show a run from its beginning to its end, live', async () => {
    const run = await startRun('A real one');
    const page = await signIn(ownerKey, run.path);
    await page.locator('.badge.queued').waitFor();
    await run.begin();
    await page.locator('.badge.inprogress').waitFor();
    await run.say(
      { type: 'message', message_id: 'm', role: 'assistant', delta: 'Hello ' },
      {
        type: 'tool_call',
        call_id: 'c',
        kind: 'execute',
        title: 'npm test',
        status: 'completed',
        output_delta: 'all green',
        exit_code: 0,
      },
      { type: 'plan', entries: [{ content: 'Look around', status: 'completed' }] },
    );
    await page.getByText('all green').waitFor();
    await run.say({ type: 'message', message_id: 'm', role: 'assistant', delta: 'world.' });
    await page.getByText('Hello world.').waitFor();
    await page.fill('#message', 'And one more thing');
    await page.click('text=Send');
    await page.getByText('Your message was sent').waitFor();
    await page.locator('#entries').getByText('And one more thing').waitFor();
    expect(await page.locator('#plan').textContent()).toContain('Look around');
    await page.getByRole('link', { name: 'Details' }).click();
    await page.getByRole('link', { name: 'npm test' }).waitFor();
  });

  it('show the end as soon as it is there', async () => {
    const run = await startRun('Ends');
    const page = await signIn(ownerKey, run.path);
    await run.begin();
    await run.say({ type: 'message', message_id: 'm', role: 'assistant', delta: 'Last words.' });
    await run.end();
    await page.locator('.badge.succeeded').waitFor();
    await page.getByText('Last words.').waitFor();
    await page.locator('.outcome').getByText('All done.').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
  });

  it('take a form that is sent again as one, and the next one by itself', async () => {
    const run = await startRun('Pressed twice');
    await run.begin();
    await run.end();
    const page = await signIn(ownerKey, run.path);
    /** Sends the form of the page with this id twice; answers where both led. */
    const twice = async (id: string, written: Record<string, string> = {}) => {
      await page.goto(serving.url + run.path);
      const form = (await page.evaluate(`(() => {
        const form = document.getElementById('${id}');
        return { path: form.action, ...Object.fromEntries(new FormData(form)) };
      })()`)) as { path: string } & Record<string, string>;
      const { path, ...fields } = form;
      const options = {
        form: { ...fields, ...written },
        headers: { origin: serving.url },
        maxRedirects: 0,
      };
      const sent = [await page.request.post(path, options), await page.request.post(path, options)];
      return sent.map((answer) => answer.headers()['location']);
    };
    const [retried, again] = await twice('retry');
    expect(again).toBe(retried);
    expect((await twice('retry'))[0]).not.toBe(retried);
    await twice('followup', { message: 'The blue one' });
    await twice('followup', { message: 'And then a second' });
    await page.goto(serving.url + run.path);
    for (const text of ['The blue one', 'And then a second'])
      expect(await page.locator('#entries').getByText(text).count()).toBe(1);
  });

  it('are no one’s but the team’s', async () => {
    const run = await startRun('Ours alone');
    await run.begin();
    const { key } = await createPersonalKey(serving.service.context.db, {
      team: 'strangers',
      user: 'eve',
    });
    const page = await signIn(key);
    await page.waitForURL('**/runs');
    expect(await page.content()).not.toContain('Ours alone');
    const answer = await page.goto(serving.url + run.path);
    expect(answer?.status()).toBe(404);
    expect(await page.content()).not.toContain('Ours alone');
  });

  it('show the screenshots and hand out the files that a run left', async () => {
    const run = await startRun('With artifacts');
    await run.begin();
    await run.upload('shots/one.png', 'image/png', PIXEL);
    await run.upload('report.html', 'text/html', Buffer.from('<script>window.pwned = 1</script>'));
    await run.end();
    const page = await signIn(ownerKey, `${run.path}/artifacts`);
    await page.locator('.thumb img').scrollIntoViewIfNeeded();
    await vi.waitFor(async () => {
      const width = await page.evaluate("document.querySelector('.thumb img').naturalWidth");
      expect(width).toBe(1);
    }, 5000);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'report.html' }).click();
    expect((await download).suggestedFilename()).toBe('report.html');
    expect(page.url()).toBe(`${serving.url}${run.path}/artifacts`);
  });

  it('show the images and short texts of a run', async () => {
    const page = await signIn(ownerKey, '/new');
    await page.fill('#prompt', 'Like this picture');
    await page.setInputFiles('#images', {
      name: 'shot.png',
      mimeType: 'image/png',
      buffer: PIXEL,
    });
    await page.click('button.primary');
    await page.getByRole('link', { name: 'Artifacts 1' }).click();
    await page.getByRole('button', { name: 'Enlarge Image 1' }).click();
    await vi.waitFor(async () => {
      const width = "document.querySelector('.lightbox:popover-open img').naturalWidth";
      expect(await page.evaluate(width)).toBe(1);
    }, 30_000);
    const [, runId] = /runs\/([^/]+)/.exec(page.url()) ?? [];
    await call(ownerKey, `/agent/runs/${runId}/cancel`, {});
    const run = await startRun('With a text');
    await run.begin();
    await run.upload('notes.txt', 'text/plain', Buffer.from('<b>as it is</b>'));
    await page.goto(`${serving.url}${run.path}/artifacts`);
    await page.getByRole('link', { name: 'Show' }).click();
    await page.locator('pre', { hasText: '<b>as it is</b>' }).waitFor();
  });
});

describe('the pages of a real service and their keys', () => {
  it('send their cookie neither to the API nor with a download (threats.md S4)', async () => {
    const run = await startRun('To download');
    await run.begin();
    await run.say({ type: 'notice', level: 'info', text: 'One line.' });
    await run.end();
    const page = await signIn(ownerKey, run.path);
    await page.locator('.badge.succeeded').waitFor();
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Details' }).click();
    await page.click('text=Download transcript');
    const text = await readFile(await (await download).path(), 'utf8');
    expect(text).not.toContain('<html');
    for (const path of [`${run.path}/transcript`, '/api/v1/openapi.json']) {
      await page.evaluate(`fetch('${path}', { credentials: 'include' })`);
    }
    // Those of the API only: a page that waits for news would be waited for.
    const toApi = requests.filter((request) => new URL(request.url()).pathname.startsWith('/api/'));
    expect(toApi.length).toBeGreaterThan(1);
    const headers = await Promise.all(toApi.map(async (request) => request.allHeaders()));
    expect(headers.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
  });

  it('make keys that work until they are revoked, and end the sessions made with them', async () => {
    const page = await signIn(ownerKey);
    await page.waitForURL('**/runs');
    await page.goto(`${serving.url}/settings`);
    const name = `key ${randomUUID()}`;
    await page.fill('#key-name', name);
    await page.click('text=Create key');
    const key = await page.inputValue('#new-key');
    await page.reload();
    expect(await page.locator('#new-key').count()).toBe(0);
    expect(await page.getByRole('button', { name: `Revoke ${name}` }).count()).toBe(1);
    const other = await fetch(`${serving.url}/login`, {
      method: 'POST',
      headers: { origin: serving.url },
      body: new URLSearchParams({ key, next: '/runs' }),
      redirect: 'manual',
    });
    const cookie = other.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    const visit = async () => (await fetch(`${serving.url}/runs`, { headers: { cookie } })).status;
    expect(await visit()).toBe(200);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.waitForURL('**/settings');
    await expect.poll(visit).toBe(401);
    const refused = await fetch(`${serving.apiBaseUrl}/agent/runs`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(refused.status).toBe(401);
  });

  it.each(['schedules', 'agents', 'environments'])('list %s', async (section) => {
    const page = await signIn(ownerKey, `/${section}`);
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText(new RegExp(section, 'i')).waitFor();
    expect(await page.locator('.empty, table.rows').count()).toBeGreaterThan(0);
  });
});
