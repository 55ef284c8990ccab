import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPages } from '../../src/pages/create-pages.ts';
import { openBrowser, serveApp, signInQuietly, type Served } from '../support/browser.ts';
import { ADAS_KEY, createFakeBackend } from '../support/fake-pages-backend.ts';
import { logOf, repairStory } from '../support/run-story.ts';

let browser: Browser;
let served: Served;
let page: Page;

const LONG = 'Supercalifragilisticexpialidocious'.repeat(12);

beforeAll(async () => {
  browser = await openBrowser();
  served = await serveApp((origin) => {
    const backend = createFakeBackend(origin);
    backend.addRun({ run_id: 'working', request_usage: { total_tokens: 5 } }, repairStory());
    const failed = { message: LONG, error_code: 'internal_error' };
    const wide = {
      type: 'message' as const,
      message_id: 'wide',
      role: 'assistant' as const,
      delta: `${LONG}\n\n\`\`\`\n${LONG}\n\`\`\`\n\n| ${LONG} | b |\n|---|---|\n| c | d |`,
    };
    const run = {
      run_id: 'long',
      title: LONG,
      prompt: LONG,
      metadata: { 'runlink.repository': LONG.slice(0, 250) },
    };
    const state = { state: 'ERROR' as const, status_message: failed };
    backend.addRun(
      { ...run, ...state },
      logOf(wide, { type: 'notice', level: 'warn', text: LONG }),
    );
    backend.addRun({ run_id: 'blocked', state: 'BLOCKED' });
    return createPages(backend);
  });
  page = await browser.newPage();
  await signInQuietly(page, served.origin, ADAS_KEY);
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

const PAGES = [
  '/login',
  '/runs',
  '/runs/working',
  '/runs/working/changes',
  '/runs/working/details',
  '/runs/long',
  '/new',
  '/overview',
  '/runs/blocked',
  '/settings',
];

/** Text whose colour stands out too little from what is behind it (WCAG 2.2, 1.4.3: 4.5 to 1). */
const FIND_FAINT = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const parts = colour.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const behind = (element) => {
    for (let it = element; it; it = it.parentElement) {
      const colour = rgb(getComputedStyle(it).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
    const pair = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort();
    const [low, high] = pair[0] < pair[1] ? pair : [pair[1], pair[0]];
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + element.outerHTML.slice(0, 120));
  }
  return found;
})()`;

/** What a reader with a screen reader or keyboard would miss. */
const FIND_UNNAMED = `(() => {
  const found = [];
  for (const it of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
    if (!it.labels?.length && !it.ariaLabel) found.push(it.outerHTML);
  }
  for (const it of document.querySelectorAll('a, button, summary')) {
    if (!it.textContent.trim() && !it.ariaLabel) found.push(it.outerHTML);
  }
  for (const it of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) {
    const ids = [it.getAttribute('aria-labelledby'), it.getAttribute('aria-describedby')];
    for (const id of ids) if (id && !document.getElementById(id)) found.push('no #' + id);
  }
  for (const it of document.querySelectorAll('img')) if (!it.hasAttribute('alt')) found.push('alt');
  const ids = [...document.querySelectorAll('[id]')].map((it) => it.id);
  found.push(...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => 'twice: ' + id));
  for (const [selector, count] of [['main', 1], ['h1', 1], ['header.top', 1]]) {
    if (document.querySelectorAll(selector).length !== count) found.push(selector);
  }
  return found;
})()`;

/** Whether the link of this page in the navigation can be seen whole, and what moved it there. */
const PLACE_IN_NAVIGATION = `(() => {
  const strip = document.querySelector('.sections').getBoundingClientRect();
  const place = document.querySelector('.sections [aria-current]').getBoundingClientRect();
  const seen = place.left >= strip.left - 1 && place.right <= strip.right + 1;
  return { seen, called: window.called };
})()`;

/** From the address on, as a reader without a mouse goes: past everything to the content. */
async function skipToContent(page: Page): Promise<unknown[]> {
  await page.keyboard.press('Tab');
  const first = await page.evaluate('document.activeElement.textContent');
  await page.keyboard.press('Enter');
  return [first, await page.evaluate('document.activeElement.id')];
}

describe('every page', () => {
  it.each(PAGES)('%s has its names, skips to its content, is legible and fits', async (path) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(served.origin + path);
    expect(await page.evaluate(FIND_UNNAMED)).toEqual([]);
    const skipped = path === '/login' || (await skipToContent(page));
    expect(skipped).toEqual(path === '/login' || ['Skip to content', 'main']);
    await page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true");
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const faint = await page.evaluate(FIND_FAINT);
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        const seen = { colorScheme, width, faint, wide };
        expect(seen).toEqual({ colorScheme, width, faint: [], wide: false });
      }
  });

  it('nothing that loading a page does moves where Tab goes on from, in any Chromium', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 800 } });
    await signInQuietly(page, served.origin, ADAS_KEY);
    await page.addInitScript(`window.called = [];
      for (const name of ['scrollIntoView', 'focus'])
        Element.prototype[name] = HTMLElement.prototype[name] = () => window.called.push(name);`);
    for (const path of ['/runs', '/settings']) {
      await page.goto(served.origin + path);
      const place = await page.evaluate(PLACE_IN_NAVIGATION);
      expect({ path, place }).toEqual({ path, place: { seen: true, called: [] } });
    }
    await page.context().close();
  });
});
