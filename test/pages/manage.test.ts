import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listIdentitiesResponse } from '../../src/contract/identity.ts';
import { schedule } from '../../src/contract/schedule.ts';
import { createWorkerKey } from '../../src/service/keys/manage-keys.ts';
import { closeContexts, shareBrowser, signInQuietly } from '../support/browser.ts';
import { servePages, type ServedPages } from '../support/served-pages.ts';

const SHOP = 'a'.repeat(22);

let pages: ServedPages;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  pages = await servePages({
    environments: [{ id: SHOP, name: 'shop' }],
    limits: { agents_per_team: 1 },
  });
  browser = await shareBrowser();
  page = await browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
  page.on('dialog', (dialog) => void dialog.accept());
  await signInQuietly(page, pages.serving.url, pages.ownerKey);
});
afterAll(async () => {
  await closeContexts(browser);
  await pages.close();
});

const goto = (path: string) => page.goto(pages.serving.url + path);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

async function ask(method: string, path: string, key = pages.ownerKey, body?: unknown) {
  const answer = await fetch(pages.serving.apiBaseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answered: unknown = await answer.json();
  return { status: answer.status, body: answered };
}

/** A schedule of a name that no other has. */
async function newSchedule(): Promise<{ id: string; name: string }> {
  const fields = { cron_schedule: '0 3 * * *', prompt: 'Update the dependencies' };
  const { body } = await ask('POST', '/agent/schedules', undefined, {
    ...fields,
    name: `Nightly ${randomUUID()}`,
  });
  return schedule.pick({ id: true, name: true }).parse(body);
}

describe('schedules', () => {
  it('begin in the composer, and say in words and in local time when they run', async () => {
    await goto('/new');
    await page.fill('#prompt', 'Update the dependencies');
    await page.selectOption('select[name=environment]', SHOP);
    await press('Save as schedule');
    await page.fill('#name', 'Nightly');
    await page.fill('#cron', '0 3 * * *');
    await press('Create schedule');
    await page.getByRole('heading', { name: 'Nightly' }).waitFor();
    const facts = await page.locator('.facts').innerText();
    expect(facts).toContain('At 03:00 (UTC)');
    expect(facts).toContain('shop');
    const firings = await page.locator('time[data-local]').allInnerTexts();
    expect(firings).toHaveLength(5);
    // 03:00 in UTC is noon in Tokyo.
    for (const firing of firings) expect(firing).toMatch(/12:00 (JST|GMT\+9)$/);
  });

  it('are changed, and what was typed stays where the service refuses it', async () => {
    const { name } = await newSchedule();
    await goto('/schedules');
    await page.getByRole('link', { name }).first().click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.fill('#cron', '0 99 * * *');
    await press('Save');
    await page.getByRole('alert').getByText('the hour field "99" is not valid').waitFor();
    expect(await page.inputValue('#prompt')).toBe('Update the dependencies');
    await page.fill('#cron', '30 8 * * 1-5');
    await press('Save');
    await page.getByText('At 08:30, Monday through Friday (UTC)').waitFor();
  });

  it('keep what the form cannot offer any more, until something else is chosen', async () => {
    const { id } = await newSchedule();
    const { db } = pages.serving.service.context;
    const gone = { agent_uid: randomUUID(), prompt: '\nAfter a line' };
    await db.updateTable('schedules').set(gone).where('id', '=', id).execute();
    await goto(`/schedules/${id}/edit`);
    expect(await page.inputValue('#prompt')).toBe(gone.prompt);
    await press('Save');
    await page.getByRole('alert').waitFor();
    await page.selectOption('select[name=agent]', '');
    await press('Save');
    await page.waitForURL(`**/schedules/${id}`);
    const { body } = await ask('GET', `/agent/schedules/${id}`);
    expect(body).toMatchObject({ prompt: gone.prompt });
    expect(body).not.toHaveProperty('agent_uid');
  });

  it('have a light page and form, whatever the prompt, of which all stays', async () => {
    const { id, name } = await newSchedule();
    const prompt = Array.from({ length: 2000 }, () => randomUUID()).join(' ');
    const fields = { name, cron_schedule: '0 3 * * *', enabled: true, prompt };
    await ask('PUT', `/agent/schedules/${id}`, undefined, fields);
    for (const path of [`/schedules/${id}`, `/schedules/${id}/edit`]) {
      const answer = await page.request.get(pages.serving.url + path);
      expect(gzipSync(await answer.text()).length).toBeLessThan(42_000);
    }
    await goto(`/schedules/${id}/edit`);
    await page.fill('#cron', '0 4 * * *');
    await press('Save');
    await page.waitForURL(`**/schedules/${id}`);
    const { body } = await ask('GET', `/agent/schedules/${id}`);
    expect(body).toMatchObject({ cron_schedule: '0 4 * * *', prompt });
  });

  it('run now, are paused and resumed, show how they went, and are deleted', async () => {
    const { id, name } = await newSchedule();
    await goto(`/schedules/${id}`);
    const form = page.locator('form', { hasText: 'Run now' }).locator('input[type=hidden]');
    const fields = await form.evaluateAll((inputs) =>
      inputs.map((it) => [it.getAttribute('name') ?? '', it.getAttribute('value') ?? '']),
    );
    await press('Run now');
    await page.waitForURL(/\/runs\//);
    // Sent again, it leads to the run that it started.
    const again = await page.request.post(`${pages.serving.url}/schedules/${id}/run`, {
      form: Object.fromEntries(fields),
      headers: { origin: pages.serving.url },
    });
    expect(again.url()).toBe(page.url());
    const run = page.url().split('/').at(-1) ?? '';
    await page.getByText('Update the dependencies').first().waitFor();
    const { db } = pages.serving.service.context;
    await db.updateTable('runs').set({ state: 'FAILED' }).where('id', '=', run).execute();
    await goto(`/schedules/${id}`);
    await press('Pause');
    await page.getByText('Paused').waitFor();
    expect(await page.locator('.facts time[data-local]').count()).toBe(0);
    await press('Resume');
    await page.getByText('Active').waitFor();

    await goto('/schedules');
    const dots = page.locator('tr', { hasText: name }).getByRole('img');
    expect(await dots.getAttribute('aria-label')).toBe('The last 1 run: 1 failed');
    await goto(`/schedules/${id}`);
    await press('Delete');
    await page.waitForURL('**/schedules');
    expect((await ask('GET', `/agent/schedules/${id}`)).status).toBe(404);
  });
});

describe('agents', () => {
  // The plan has room for one.
  beforeEach(async () => {
    const { body } = await ask('GET', '/agent/identities');
    for (const { uid } of listIdentitiesResponse.parse(body).agents)
      await fetch(`${pages.serving.apiBaseUrl}/agent/identities/${uid}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${pages.ownerKey}` },
      });
  });

  it('are made with a key that works and is shown once, and deleted with it', async () => {
    await goto('/agents/new');
    await page.fill('#name', 'Night owl');
    await page.fill('#prompt', 'You work at night.');
    await page.selectOption('select[name=environment]', SHOP);
    await press('Create agent');
    await page.getByRole('heading', { name: 'Night owl' }).waitFor();
    await page.fill('#key-name', 'ci');
    await press('Create key');
    const key = await page.inputValue('#new-key');
    expect((await ask('GET', '/agent/whoami', key)).body).toMatchObject({
      kind: 'agent',
      profile: { display_name: 'Night owl' },
    });
    await page.reload();
    expect(await page.locator('#new-key').count()).toBe(0);
    await page.getByRole('rowheader', { name: 'ci' }).waitFor();

    await page.getByRole('link', { name: 'Edit' }).click();
    expect(await page.inputValue('#prompt')).toBe('You work at night.');
    await page.fill('#prompt', '');
    await page.fill('#description', 'Sleeps by day.');
    await page.fill('#host', 'cellar');
    await press('Save');
    await page.getByText('Sleeps by day.').waitFor();
    await page.getByText('cellar').waitFor();
    expect(await page.getByText('You work at night.').count()).toBe(0);

    const own = page.url();
    const agent_uid = own.split('/').at(-1);
    const nightly = { name: 'Owl’s round', cron_schedule: '0 3 * * *', prompt: 'Hoot', agent_uid };
    await ask('POST', '/agent/schedules', undefined, nightly);
    await goto('/schedules');
    await page.getByRole('link', { name: 'Owl’s round' }).first().click();
    await page.getByRole('link', { name: 'Night owl' }).waitFor();
    await page.goto(own);

    await press('Delete');
    await page.getByText('No agents yet').waitFor();
    expect((await ask('GET', '/agent/whoami', key)).status).toBe(401);
  });

  it('beyond the plan say so, and why', async () => {
    await ask('POST', '/agent/identities', pages.ownerKey, { name: 'First' });
    await ask('POST', '/agent/identities', pages.ownerKey, { name: 'Second' });
    await goto('/agents');
    await page.getByText('Over limit').waitFor();
    await page.getByRole('link', { name: 'Second' }).click();
    expect(await page.locator('.alert').innerText()).toContain('more agents than its plan allows');
  });
});

describe('a form that is sent twice at once', () => {
  it.each([
    ['/schedules/new', '/schedules', { name: 'Twice', cron: '0 3 * * *', prompt: 'Dig' }],
    ['/agents/new', '/agents', { name: 'Twin' }],
    ['/settings', '/settings/keys', { name: 'twin' }],
  ])('of %s makes one', async (path, action, texts) => {
    await goto(path);
    const hidden = page.locator(`form[action="${action}"] input[type=hidden]`);
    const fields = await hidden.evaluateAll((inputs) =>
      inputs.map((it) => [it.getAttribute('name') ?? '', it.getAttribute('value') ?? '']),
    );
    const send = () =>
      page.request.post(pages.serving.url + action, {
        form: { ...Object.fromEntries(fields), ...texts },
        headers: { origin: pages.serving.url },
        maxRedirects: 0,
      });
    const [first, second] = await Promise.all([send(), send()]);
    expect([first.status(), second.status()]).toEqual([303, 303]);
    expect(second.headers()['location']).toBe(first.headers()['location']);
    expect(second.headers()['set-cookie']).toBe(first.headers()['set-cookie']);
  });
});

describe('workers', () => {
  it('are listed with their room and what they work on, pool and hosts alike', async () => {
    const { db } = pages.serving.service.context;
    const { key } = await createWorkerKey(db, 'default');
    const claim = { worker_id: 'w-1', capacity: 3, harnesses: ['demo'], sandbox: 'bwrap' };
    await ask('POST', '/agent/runs', pages.ownerKey, { prompt: 'Dig', title: 'Dig a hole' });
    await ask('POST', '/worker/claim', key, claim);
    await ask('POST', '/worker/claim', key, { ...claim, capacity: 2, worker_host: 'mine' });
    await goto('/environments');
    const row = page.getByRole('row', { name: 'mine' });
    await row.getByRole('link', { name: 'Dig a hole' }).waitFor();
    expect(await row.innerText()).toContain('1 of 3');
    expect(await row.innerText()).toContain('bwrap');
    // What it would still take is said before a claim; what it has in all stays true.
    await ask('POST', '/worker/claim', key, { ...claim, worker_host: 'mine', slots: 8 });
    await page.reload();
    expect(await row.innerText()).toContain('1 of 8');
  });
});
