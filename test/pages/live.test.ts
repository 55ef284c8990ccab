import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPages } from '../../src/pages/create-pages.ts';
import {
  closeContexts,
  shareBrowser,
  serveApp,
  signInQuietly,
  type Served,
} from '../support/browser.ts';
import { ADAS_KEY, createFakeBackend, type FakeBackend } from '../support/fake-pages-backend.ts';
import { logOf, manyChanges, repairStory } from '../support/run-story.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

let browser: Browser;
let served: Served;
let backend: FakeBackend;
let page: Page;

beforeAll(async () => {
  browser = await shareBrowser();
  // A new page costs Chromium more than all that one test does on it.
  page = await browser.newPage();
});
afterAll(async () => closeContexts(browser));
beforeEach(async () => {
  served = await serveApp((origin) => {
    backend = createFakeBackend(origin);
    return createPages(backend);
  });
  await signInQuietly(page, served.origin, ADAS_KEY);
  return () => served.close();
});

function say(id: string, delta: string) {
  return logOf({ type: 'message', message_id: id, role: 'assistant', delta });
}

/** Looked for to be clicked, a link would come into view, and what it leads to load by itself. */
async function goBy(link: string): Promise<void> {
  const href = await page.locator(link).getAttribute('href');
  await page.goto(new URL(href ?? '', page.url()).href);
}

describe('the run page in a browser', () => {
  it('follows a run until it has ended, without being loaded again', async () => {
    const { run_id } = backend.addRun({ title: 'Live' });
    await page.goto(`${served.origin}/runs/${run_id}`);
    await page.evaluate('window.sameDocument = true');
    for (const event of repairStory()) backend.append(run_id, event);
    await page.getByText('The loop stopped').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).waitFor();
    backend.change(run_id, {
      state: 'SUCCEEDED',
      finished_at: new Date().toISOString(),
      status_message: { message: 'All done.' },
    });
    backend.append(run_id, ...say('end', 'Good bye.'));
    await page.getByText('Good bye.').waitFor();
    await page.getByText('All done.').waitFor();
    expect(await page.locator('.badge').textContent()).toBe('Succeeded');
    expect(await page.locator('#spoken').textContent()).toContain('Succeeded');
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
    expect(await page.evaluate('window.sameDocument')).toBe(true);
  });

  it('lets a message grow in place, in its order', async () => {
    const { run_id } = backend.addRun({}, [...say('a', 'First'), ...say('b', 'Second')]);
    await page.goto(`${served.origin}/runs/${run_id}`);
    backend.append(run_id, ...say('a', ' and more'), ...say('c', 'Third'));
    await page.getByText('Third').waitFor();
    expect(await page.locator('#entries .markdown').allTextContents()).toEqual([
      'First and more',
      'Second',
      'Third',
    ]);
  });

  it('keeps folds, focus and what is being typed while it is updated', async () => {
    const output = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    const call = (body: object) =>
      logOf({ type: 'tool_call', call_id: 'c', kind: 'execute', title: 'long job', ...body });
    const { run_id } = backend.addRun({}, call({ status: 'running', output_delta: output }));
    await page.goto(`${served.origin}/runs/${run_id}`);
    const fold = page.locator('#entries details');
    const summary = fold.locator('summary');
    await summary.click();
    await page.fill('#message', 'half a sen');
    await summary.focus();
    backend.append(run_id, ...call({ output_delta: '\nmore', status: 'completed' }));
    await fold.locator('.line.good').waitFor();
    expect(await fold.getAttribute('open')).toBeNull();
    expect(await page.inputValue('#message')).toBe('half a sen');
    expect(await page.evaluate('document.activeElement.localName')).toBe('summary');
  });

  it('keeps what is selected, also in a message that grows and from one to the next', async () => {
    const { run_id } = backend.addRun({}, [
      ...say('a', 'First **words** said'),
      ...say('b', 'Next'),
    ]);
    await page.goto(`${served.origin}/runs/${run_id}`);
    const select = (to: string) =>
      page.evaluate(`(() => {
        const [first, last] = ['.markdown strong', '${to}'].map((it) => document.querySelector('#entries ' + it));
        getSelection().setBaseAndExtent(first, 0, last, last.childNodes.length);
      })()`);
    const selected = async () => String(await page.evaluate('getSelection().toString()')).trim();
    await select('.markdown strong');
    backend.append(run_id, ...say('a', ', and more'));
    await page.getByText('and more').waitFor();
    expect(await selected()).toBe('words');
    await select('li:last-child p');
    expect(await selected()).toMatch(/^words said, and more[^]*Next$/);
    backend.append(run_id, ...say('a', '!'), ...say('b', ' one'));
    await page.getByText('Next one').waitFor();
    expect(await selected()).toMatch(/^words said, and more[^]*Next$/);
  });

  it('counts the time on', async () => {
    const { run_id } = backend.addRun({
      started_at: new Date(Date.now() - 59_000).toISOString(),
    });
    await page.goto(`${served.origin}/runs/${run_id}`);
    const time = page.locator('.sub strong', { hasText: /^1m \d+s$/ });
    await time.waitFor();
    const seen = await time.textContent();
    await vi.waitFor(async () => expect(await time.textContent()).not.toBe(seen), 30_000);
    const late = await browser.newPage();
    await late.clock.setFixedTime(Date.now() - 3_600_000);
    await signInQuietly(late, served.origin, ADAS_KEY);
    await late.goto(`${served.origin}/runs/${run_id}`);
    // What the script writes, and not what it found.
    await late.locator('.scripted').waitFor();
    await late.locator('.sub strong', { hasText: /^[1-9]m \d+s$/ }).waitFor();
    await late.context().close();
  });
});

describe('a long run in a browser', () => {
  it('shows a long run in parts, and keeps the page small while it follows one', async () => {
    const events = Array.from({ length: 500 }, (_, at) => say(`m${at}`, `message ${at}.`)).flat();
    const { run_id } = backend.addRun({}, events.slice(0, 130));
    await page.goto(`${served.origin}/runs/${run_id}`);
    const entries = page.locator('#entries > li');
    expect(await entries.count()).toBe(60);
    backend.append(run_id, ...events.slice(130));
    await page.getByText('message 499.').waitFor();
    expect(await entries.count()).toBe(300);
    await goBy('#earlier');
    await page.getByText('message 199.').waitFor();
    expect(await page.getByText('message 200.').count()).toBe(0);
    await goBy('text=Start');
    await page.getByText('message 0.').waitFor();
    await page.locator('#e-100 .place').click();
    await page.waitForURL(/at=100#e-100$/);
    expect(await page.evaluate("document.querySelector(':target').id")).toBe('e-100');
    await goBy('text=Latest');
    await page.getByText('message 499.').waitFor();
    const place = page.getByLabel('Place in the conversation');
    await place.fill('250');
    await place.press('Enter');
    await page.waitForURL(/from=250#activity$/);
    await page.getByText('message 249.').waitFor();
  });

  it('loads what comes before and after by scrolling, and follows on at the end', async () => {
    const events = Array.from({ length: 900 }, (_, at) => say(`m${at}`, `message ${at}.`)).flat();
    const { run_id } = backend.addRun({}, events);
    await page.goto(`${served.origin}/runs/${run_id}`);
    const entries = page.locator('#entries > li');
    /** The page hears of it with the next frame. */
    const scroll = (to: string) =>
      page.evaluate(`new Promise((done) => {
        document.getElementById('e-${to}').scrollIntoView();
        requestAnimationFrame(() => requestAnimationFrame(done));
      })`);
    const topOf = async (at: string) => (await page.locator(`#e-${at}`).boundingBox())?.y ?? NaN;
    await scroll('899');
    await scroll('850');
    const before = await topOf('850');
    await page.locator('#e-700').waitFor({ state: 'attached' });
    expect(Math.abs((await topOf('850')) - before)).toBeLessThan(2);
    for (const [at, earlier] of [
      [700, 550],
      [550, 400],
      [400, 250],
    ]) {
      await scroll(`${at}`);
      await page.locator(`#e-${earlier}`).waitFor({ state: 'attached' });
      expect(await entries.count()).toBeLessThanOrEqual(300);
    }
    // Nothing is put behind the gap, and nothing is lost in it.
    backend.append(run_id, ...say('news', 'while reading'));
    await page.getByRole('link', { name: 'Latest' }).waitFor();
    for (const at of [540, 690, 840]) {
      await scroll(`${at}`);
      await page.locator(`#e-${Math.min(at + 120, 901)}`).waitFor({ state: 'attached' });
      expect(await entries.count()).toBeLessThanOrEqual(300);
    }
    await scroll('890');
    await page.getByText('while reading').waitFor();
    backend.append(run_id, ...say('more', 'followed again'));
    await page.getByText('followed again').waitFor();
    const places = (await page.evaluate(
      "[...document.querySelectorAll('#entries > li')].map((it) => Number(it.dataset.place))",
    )) as number[];
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('goes from failure to failure with n', async () => {
    const events = Array.from({ length: 30 }, (_, at) =>
      logOf({
        type: 'tool_call',
        call_id: `c${at}`,
        kind: 'execute',
        title: `step ${at}`,
        status: 'completed',
        output_delta: 'one\ntwo\nthree\nfour',
        exit_code: at === 5 || at === 25 ? 1 : 0,
      }),
    ).flat();
    const { run_id } = backend.addRun({ state: 'FAILED' }, events);
    const from = ['', undefined, '?at=6#e-6'];
    for (const [at, failure] of [5, 25, 25].entries()) {
      if (at !== 1) await page.goto(`${served.origin}/runs/${run_id}${from[at]}`);
      await page.keyboard.press('n');
      const seen = page.locator('.line.bad', { hasText: `step ${failure}` });
      await vi.waitFor(async () => {
        const box = await seen.boundingBox();
        expect(box?.y).toBeGreaterThan(0);
        expect(box?.y).toBeLessThan(720);
      }, 5000);
    }
  });
});

describe('the changes of a run in a browser', () => {
  it('takes comments on lines and sends them as one follow-up, from another page too', async () => {
    const { run_id } = backend.addRun({ state: 'SUCCEEDED' }, repairStory());
    await page.goto(`${served.origin}/runs/${run_id}/changes`);
    await page.fill('#message', 'Two things.');
    expect(await page.locator('#changes .diff .hk').allTextContents()).toContain('for');
    const colour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await colour('.diff .hk')).not.toBe(await colour('.diff .same'));
    // The first changed line is one that went, the next one that came.
    await page.getByRole('button', { name: 'Comment' }).first().focus();
    for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.keyboard.type('Name this');
    await page.getByRole('button', { name: 'Comment' }).last().press('Enter');
    await page.keyboard.type('Is this file needed?');
    await page.getByRole('link', { name: 'Details' }).click();
    await page.waitForURL(/details$/);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your message was sent').waitFor();
    expect(await page.inputValue('#message')).toBe('');
    const [sent] = backend.followups;
    expect(sent?.message).toMatch(
      /^Two things\.\n\nIn `.+`, line \d+:\n> \+.+\nName this\n\nIn `.+`:\nIs this file needed\?$/,
    );
  });

  it('remembers which files were viewed', async () => {
    const { run_id } = backend.addRun({ state: 'SUCCEEDED' }, repairStory());
    await page.goto(`${served.origin}/runs/${run_id}/changes`);
    await page.getByLabel('Viewed').first().check();
    await page.reload();
    expect(await page.getByLabel('Viewed').first().isChecked()).toBe(true);
    expect(await page.locator('.files details').first().getAttribute('open')).toBeNull();
  });

  it('leads through many files by a tree, and keeps what was viewed when more change', async () => {
    const { run_id } = backend.addRun({}, logOf(manyChanges()));
    await page.goto(`${served.origin}/runs/${run_id}/changes`);
    await page.getByLabel('Viewed').nth(2).check();
    await page.locator('.tree').getByRole('link', { name: 'z.js' }).click();
    await page.waitForURL(/#file-5$/);
    const [tree, file, head, viewed] = await Promise.all(
      ['.tree', '#file-0', '#file-0 summary', '#file-0 .viewed'].map((it) =>
        page.locator(it).boundingBox(),
      ),
    );
    expect((tree?.x ?? 0) + (tree?.width ?? 0)).toBeLessThanOrEqual(file?.x ?? 0);
    expect(viewed?.y).toBeGreaterThanOrEqual(head?.y ?? Infinity);
    const changes = manyChanges();
    const added = { path: 'zoo.md', status: 'added' as const, additions: 3, deletions: 0 };
    backend.append(run_id, ...logOf({ ...changes, files: [...changes.files, added] }));
    await page.getByText('8 changed files').waitFor();
    expect(await page.getByLabel('Viewed').nth(2).isChecked()).toBe(true);
  });
});

describe('the search in a run', () => {
  it('finds words anywhere in a long run by keyboard alone, marks them, and goes from match to match', async () => {
    const events = Array.from({ length: 900 }, (_, at) =>
      at === 700
        ? logOf({
            type: 'tool_call',
            call_id: 'c',
            kind: 'execute',
            title: 'build',
            status: 'completed',
            output_delta: `${'line\n'.repeat(30)}error: <tag> & message 40.`,
          })
        : say(`m${at}`, `message ${at}.`),
    ).flat();
    const { run_id } = backend.addRun({}, events);
    await page.goto(`${served.origin}/runs/${run_id}`);
    await page.keyboard.press('/');
    await page.keyboard.type('MESSAGE 40.');
    await page.keyboard.press('Enter');
    const isAt = async (place: number) => {
      await page.waitForURL(new RegExp(`#e-${place}$`));
      expect(await page.locator(':target mark').first().textContent()).toBe('message 40.');
      expect(await page.locator(':target mark').first().isVisible()).toBe(true);
    };
    await isAt(41);
    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await isAt(701);
    await page.keyboard.press('/');
    await page.keyboard.press('Shift+Enter');
    await isAt(41);
    await page.keyboard.press('/');
    await page.keyboard.type('<tag> & m');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#e-701$/);
    expect(await page.locator('mark').allTextContents()).toEqual(['<tag> & m']);
    await page.keyboard.press('/');
    await page.keyboard.type('nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing in this run says “nowhere”.').waitFor();
  });
});

describe('a run that is not followed quietly', () => {
  it('says when the connection is lost, and goes on when it is back', async () => {
    const { run_id } = backend.addRun({});
    await page.goto(`${served.origin}/runs/${run_id}`);
    backend.down = true;
    backend.append(run_id, ...say('a', 'While you were away'));
    await page.getByText('The connection is lost').waitFor();
    backend.down = false;
    await page.getByText('While you were away').waitFor();
    await page.locator('#connection').waitFor({ state: 'hidden' });
    expect(await page.locator('#entries > li').count()).toBe(1);
  });

  it('keeps no connection while its tab is hidden, and catches up when it is shown', async () => {
    const { run_id } = backend.addRun({});
    await page.goto(`${served.origin}/runs/${run_id}`);
    await vi.waitFor(() => expect(backend.holding()).toBe(1), 30_000);
    const show = (state: string) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await show('hidden');
    await vi.waitFor(() => expect(backend.holding()).toBe(0), 30_000);
    backend.append(run_id, ...say('a', 'While nobody looked'));
    await show('visible');
    await page.getByText('While nobody looked').waitFor();
  });

  it.runIf(isLong)('hears of everything in each of many windows', async () => {
    const { run_id } = backend.addRun({});
    const context = await browser.newContext();
    const windows = await Promise.all(Array.from({ length: 6 }, () => context.newPage()));
    const [first] = windows;
    if (!first) throw new Error('no window');
    await signInQuietly(first, served.origin, ADAS_KEY);
    for (const window of windows) await window.goto(`${served.origin}/runs/${run_id}`);
    await vi.waitFor(() => expect(backend.holding()).toBe(4), 20_000);
    for (const text of ['The first news', 'The second']) {
      backend.append(run_id, ...say(text, text));
      await Promise.all(windows.map((window) => window.getByText(text).waitFor()));
    }
    await context.close();
  });

  it('asks before it cancels', async () => {
    const { run_id } = backend.addRun({});
    await page.goto(`${served.origin}/runs/${run_id}`);
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.click('text=Cancel run');
    expect(backend.runs.get(run_id)?.run.state).toBe('INPROGRESS');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.click('text=Cancel run');
    await page.getByText('is being cancelled').waitFor();
    expect(backend.runs.get(run_id)?.run.state).toBe('CANCELLED');
  });

  it('shows the same without scripts', async () => {
    const { run_id } = backend.addRun({}, repairStory());
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await signInQuietly(plain, served.origin, ADAS_KEY);
    await plain.goto(`${served.origin}/runs/${run_id}`);
    await plain.getByText('The loop stopped').waitFor();
    await plain.fill('#message', 'And a changelog line');
    await plain.click('text=Send');
    await plain.getByText('Your message was sent').waitFor();
    expect(backend.followups).toEqual([{ runId: run_id, message: 'And a changelog line' }]);
    await context.close();
  });
});

describe('the list of runs in a browser', () => {
  it('is filled and changed as runs come and go', async () => {
    await page.goto(`${served.origin}/runs`);
    await page.getByText('No runs yet').waitFor();
    const { run_id } = backend.addRun({ title: 'A new one' });
    backend.change(run_id, {});
    await page.getByRole('link', { name: 'A new one' }).waitFor();
    backend.change(run_id, { state: 'SUCCEEDED' });
    await page.locator('.badge.succeeded').waitFor();
    expect(await page.locator('.run-row').count()).toBe(1);
  });

  it('is narrowed by choosing', async () => {
    backend.addRun({ title: 'One', state: 'FAILED' });
    backend.addRun({ title: 'Two', state: 'SUCCEEDED' });
    await page.goto(`${served.origin}/runs`);
    await page.selectOption('select[name=state]', 'FAILED');
    await page.waitForURL(/state=FAILED/);
    expect(await page.locator('.run-what > a').allTextContents()).toEqual(['One']);
  });
});

describe('settings in a browser', () => {
  it('make a key, show it once, and revoke it', async () => {
    await page.goto(`${served.origin}/settings`);
    await page.fill('#key-name', 'laptop');
    await page.click('text=Create key');
    const key = await page.inputValue('#new-key');
    expect(key).toMatch(/^rl_/);
    await page.goto(`${served.origin}/settings`);
    expect(await page.content()).not.toContain(key);
    await page.getByText(`…${key.slice(-4)}`).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByText('You have no keys yet').waitFor();
  });
});
