import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPages } from '../../src/pages/create-pages.ts';
import {
  closeContexts,
  shareBrowser,
  serveApp,
  signInQuietly,
  type Served,
} from '../support/browser.ts';
import { ANSWERS } from '../support/page-answers.ts';
import { ADAS_KEY, createFakeBackend } from '../support/fake-pages-backend.ts';
import { logOf, manyChanges, repairStory } from '../support/run-story.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

let browser: Browser;
let served: Served;
let page: Page;

const LONG = 'Supercalifragilisticexpialidocious'.repeat(12);

beforeAll(async () => {
  browser = await shareBrowser();
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
    Object.assign(backend.answers, ANSWERS);
    backend.addRun({ run_id: 'wide' }, logOf(manyChanges()));
    backend.addRun({ run_id: 'blocked', state: 'BLOCKED' });
    backend.waiting.set('ABCD-EFGH', { client: LONG, createdAt: new Date() });
    return createPages(backend);
  });
  page = await browser.newPage();
  await signInQuietly(page, served.origin, ADAS_KEY);
});
afterAll(async () => {
  await closeContexts(browser);
  await served.close();
});

const ID = '11111111-1111-4111-8111-111111111111';
const PAGES = [
  '/login',
  '/runs',
  '/runs/working?find=sum&at=8',
  '/runs/working/changes',
  '/runs/working/details',
  '/runs/working/artifacts',
  `/runs/working/artifacts/${ID}`,
  '/runs/nobody',
  '/runs/wide/changes',
  '/runs/wide/changes?file=2',
  '/runs/long',
  '/new',
  '/overview',
  '/runs/blocked',
  '/settings',
  '/settings/login?code=ABCD-EFGH',
  '/schedules',
  '/schedules/new',
  `/schedules/${ID}`,
  `/schedules/${ID}/edit`,
  '/agents',
  '/agents/new',
  `/agents/${ID}`,
  `/agents/${ID}/edit`,
  '/environments',
  '/settings/members',
  '/settings/audit',
];

/** Addresses that answer with no page of their own. */
const NO_PAGES = /^\/$|^\/assets|github|updates$|piece$|find$|images|transcript$|ndjson$/;

/**
 * What a reader with a screen reader, keyboard or weak eyes would miss (WCAG 2.2 AA and good
 * practice).
 */
const FAULTS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`;

/** Dark and light at every width; a quick run looks at every width once. */
const LOOKS = (['dark', 'light'] as const)
  .flatMap((colorScheme) => [1440, 820, 390].map((width) => ({ colorScheme, width })))
  .filter((_, at) => isLong || [0, 4, 5].includes(at));
/** In a quick run axe is asked of each page at one end, of the next page at the other. */
const asks = (path: string, width: number): boolean =>
  isLong || width === (PAGES.indexOf(path) % 2 ? 1440 : 390);

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
  it('is looked at', () => {
    const { routes } = createPages(createFakeBackend(served.origin));
    const shown = routes.filter(({ method, path }) => method === 'GET' && !NO_PAGES.test(path));
    const unseen = shown.filter(({ path }) => {
      const address = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`);
      return !PAGES.some((page) => address.test(page));
    });
    expect(shown.length).toBeGreaterThan(20);
    expect(unseen).toEqual([]);
  });

  it.each(PAGES)('%s is legible, named, fits, and skips to its content', async (path) => {
    await page.goto(served.origin + path);
    const skipped = path === '/login' || (await skipToContent(page));
    expect(skipped).toEqual(path === '/login' || ['Skip to content', 'main']);
    await page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true");
    await page.evaluate(axe.source);
    for (const look of LOOKS) {
      await page.emulateMedia(look);
      await page.setViewportSize({ ...look, height: 800 });
      const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      const faults = asks(path, look.width) ? await page.evaluate(FAULTS) : [];
      expect({ ...look, wide, faults }).toEqual({ ...look, wide: false, faults: [] });
    }
  });

  it('what has the focus is never behind a box that stays in sight', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${served.origin}/runs/wide/changes`);
    const hidden = await page.evaluate(`[...document.querySelectorAll('[data-comment]')]
      .slice(0, 20).filter((it) => {
        it.focus();
        const { x, y, width, height } = it.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2) !== it;
      }).length`);
    expect(hidden).toBe(0);
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
