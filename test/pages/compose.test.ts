import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPages } from '../../src/pages/create-pages.ts';
import {
  closeContexts,
  shareBrowser,
  serveApp,
  signInQuietly,
  type Served,
} from '../support/browser.ts';
import { ADAS_KEY, createFakeBackend, type FakeBackend } from '../support/fake-pages-backend.ts';

const SHOP = 'a'.repeat(22);
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

let browser: Browser;
let served: Served;
let backend: FakeBackend;
let page: Page;

beforeAll(async () => {
  browser = await shareBrowser();
  page = await browser.newPage();
});
afterAll(async () => closeContexts(browser));
beforeEach(async () => {
  served = await serveApp((origin) => {
    backend = createFakeBackend(origin);
    for (const [uid, name] of [
      [SHOP, 'shop'],
      ['b'.repeat(22), 'site'],
    ] as const)
      backend.environments.push({
        uid,
        config: { name },
        last_updated: '2026-11-21T08:00:00.000Z',
        setup_failed: false,
      });
    return createPages(backend);
  });
  await signInQuietly(page, served.origin, ADAS_KEY);
  return () => served.close();
});

/** What pasting an image does. */
const PASTE = `(() => {
  const bytes = Uint8Array.from(atob('${PIXEL}'), (it) => it.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], 'shot.png', { type: 'image/png' }));
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.getElementById('prompt').dispatchEvent(paste);
})()`;

describe('the composer', () => {
  it('starts a run by keyboard alone, in an environment by name, with a pasted image', async () => {
    await page.goto(`${served.origin}/settings`);
    await page.keyboard.press('c');
    await page.locator('#prompt:focus').waitFor();
    await page.keyboard.type('Fix the price');
    await page.getByLabel('Environment').first().selectOption('shop');
    for (let images = 1; images <= 6; images += 1) await page.evaluate(PASTE);
    await page.getByText('6 attached').waitFor();
    expect(await page.evaluate("document.getElementById('composer').checkValidity()")).toBe(false);
    await page.getByRole('button', { name: 'Remove images' }).press('Enter');
    await page.evaluate(PASTE);
    await page.getByText('1 attached').waitFor();
    await page.focus('#prompt');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/runs\/[\w-]{36}$/);
    expect(backend.created).toEqual([
      {
        prompt: 'Fix the price',
        config: { environment_id: SHOP },
        attachments: [{ file_name: 'shot.png', mime_type: 'image/png', data: PIXEL }],
      },
    ]);
  });

  it('starts a run that nobody else sees', async () => {
    await page.goto(`${served.origin}/new?prompt=Mine`);
    await page.check('text=Only for me');
    await page.click('button.primary');
    await page.waitForURL(/\/runs\/[\w-]{36}$/);
    expect(backend.created.at(-1)).toMatchObject({ prompt: 'Mine', team: false });
  });

  it('is filled by a link, and offers the environment that was used last', async () => {
    backend.addRun({ state: 'SUCCEEDED', agent_config: { environment_id: SHOP } });
    await page.goto(`${served.origin}/new?prompt=${encodeURIComponent('Fix <b>it</b>')}`);
    expect(await page.inputValue('#prompt')).toBe('Fix <b>it</b>');
    expect(await page.inputValue('select[name=environment]')).toBe(SHOP);
  });

  it('works on the pull request of a review when it is asked to mend a finding of it, or to do the same again', async () => {
    const place = {
      'runlink.repository': 'acme/web',
      'runlink.thread': 'acme/web#7',
      'runlink.pull_request': '7',
      'runlink.head_ref': 'topic',
      'runlink.sha': 'a'.repeat(40),
    };
    const metadata = { ...place, 'runlink.request': 'comment:1', team: 'web' };
    const { run_id } = backend.addRun({ state: 'SUCCEEDED', prompt: 'Review', metadata });
    for (const address of [`/new?prompt=Mend&on=${run_id}`, `/new?from=${run_id}`]) {
      await page.goto(served.origin + address);
      expect(await page.getByLabel('On acme/web#7').isChecked()).toBe(true);
      await page.click('button.primary');
      await page.waitForURL(/\/runs\/[\w-]{36}$/);
      expect(backend.created.at(-1)?.metadata).toEqual(place);
    }
    await page.goto(`${served.origin}/runs/${run_id}`);
    await page.click('text=Retry');
    await page.waitForURL((url) => !url.pathname.includes(run_id));
    expect(backend.created.at(-1)?.metadata).toEqual({ ...place, team: 'web' });
    await page.goto(`${served.origin}/new?prompt=Mend&on=${run_id}`);
    await page.uncheck('text=On acme/web#7');
    await page.click('button.primary');
    await page.waitForURL(/\/runs\/[\w-]{36}$/);
    expect(backend.created.at(-1)).not.toHaveProperty('metadata');
    await page.goto(`${served.origin}/new?prompt=Mend&on=${run_id.replace(/^./, 'x')}`);
    expect(await page.inputValue('#prompt')).toBe('Mend');
    expect(await page.getByLabel(/^On /).count()).toBe(0);
  });

  it('keeps what was typed when the service refuses it', async () => {
    await page.goto(`${served.origin}/new?mode=plan`);
    await page.fill('#prompt', '  ');
    await page.click('button.primary');
    await page.getByRole('alert').getByText('prompt: is required').waitFor();
    expect(await page.inputValue('select[name=mode]')).toBe('plan');
  });

  it('keeps the images too, also while one signs in again', async () => {
    await page.goto(`${served.origin}/new`);
    await page.fill('#prompt', '  ');
    await page.evaluate(PASTE);
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('alert')
      .getByText(/^prompt: is required$/)
      .waitFor();
    await page.context().clearCookies();
    await page.fill('#prompt', 'Mend it');
    await page.click('button.primary');
    await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).waitFor();
    await signInQuietly(page, served.origin, ADAS_KEY);
    await page.click('button.primary');
    await page.waitForURL(/\/runs\/[\w-]{36}$/);
    expect(backend.created).toMatchObject([{ prompt: 'Mend it', attachments: [{ data: PIXEL }] }]);
  });

  it('repeats an ended run, or lets it be changed first', async () => {
    const { run_id } = backend.addRun({
      state: 'FAILED',
      prompt: 'Try this',
      mode: 'plan',
      agent_config: { environment_id: SHOP },
      metadata: { 'runlink.request': 'comment:1', team: 'web' },
    });
    await page.goto(`${served.origin}/runs/${run_id}`);
    await page.click('text=Retry');
    await page.waitForURL((url) => !url.pathname.includes(run_id));
    expect(backend.created[0]).toMatchObject({
      prompt: 'Try this',
      mode: 'plan',
      metadata: { team: 'web' },
    });
    expect(backend.created[0]?.metadata).not.toHaveProperty('runlink.request');
    await page.goto(`${served.origin}/runs/${run_id}`);
    await page.click('text=Duplicate and edit');
    expect(await page.inputValue('#prompt')).toBe('Try this');
    expect(await page.inputValue('select[name=environment]')).toBe(SHOP);
    expect(await page.inputValue('select[name=mode]')).toBe('plan');
  });

  it('stays light with a long prompt, whose rest stays as it is', async () => {
    const line = (at: number) => `${hash('sha512', `${at}`)} 😀\n`;
    const prompt = Array.from({ length: 1500 }, (_, at) => line(at)).join('');
    const { run_id: id } = backend.addRun({ state: 'SUCCEEDED', prompt });
    const address = `${served.origin}/new?from=${id}`;
    const light = await (await page.request.get(address)).text();
    expect(gzipSync(light).length).toBeLessThan(42_000);
    await page.goto(address);
    await page.getByText('more characters follow and stay as they are').waitFor();
    await page.focus('#prompt');
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Again: ');
    await page.click('text="Run"');
    await page.waitForURL('**/runs/*');
    const started = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(backend.runs.get(started)?.run.prompt).toBe(`Again: ${prompt}`);
    await page.goto(`${address}&all=yes`);
    expect(await page.inputValue('#prompt')).toBe(prompt);
  });
});

describe('the inbox', () => {
  it('says in its title and tabs what needs somebody, and takes the answer in the row', async () => {
    const { run_id } = backend.addRun({
      state: 'BLOCKED',
      status_message: { message: 'Which colour?' },
    });
    backend.addRun({ title: 'Busy', changed_lines: { additions: 1200, deletions: 3 } });
    await page.goto(served.origin);
    expect(await page.title()).toBe('• Runs · Runlink');
    await page.getByText('+1,200').waitFor();
    await page.getByRole('link', { name: 'Needs you 1' }).click();
    await page.waitForURL(/state=BLOCKED/);
    const answer = page.getByLabel('Which colour?');
    await answer.fill('Blue, pl');
    backend.change(run_id, { title: 'Renamed meanwhile' });
    await page.getByRole('link', { name: 'Renamed meanwhile' }).waitFor();
    expect(await answer.inputValue()).toBe('Blue, pl');
    await answer.pressSequentially('ease');
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.waitForURL(/state=BLOCKED/);
    expect(backend.followups).toEqual([{ runId: run_id, message: 'Blue, please' }]);
  });

  it('is walked through with j, k and Enter', async () => {
    for (const title of ['One', 'Two', 'Three']) backend.addRun({ title });
    await page.goto(`${served.origin}/runs`);
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Two');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Two' }).waitFor();
  });
});
