import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEvent } from '../../src/contract/entry.ts';
import type { RunItem } from '../../src/contract/run.ts';
import { createPages } from '../../src/pages/create-pages.ts';
import {
  closeContexts,
  shareBrowser,
  serveApp,
  signInQuietly,
  type Served,
} from '../support/browser.ts';
import {
  ADA,
  ADAS_KEY,
  createFakeBackend,
  type FakeBackend,
} from '../support/fake-pages-backend.ts';
import { HOSTILE, TRACKER } from '../support/hostile.ts';
import { logOf } from '../support/run-story.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

let browser: Browser;
let page: Page;
let served: Served;
let backend: FakeBackend;

beforeAll(async () => {
  browser = await shareBrowser();
  page = await browser.newPage();
  served = await serveApp((origin) => {
    backend = createFakeBackend(origin);
    return createPages(backend);
  });
});
afterAll(async () => {
  await closeContexts(browser);
  await served.close();
});

const AT = '2026-11-21T08:00:00.000Z';

/** A run with the text everywhere where somebody other than us chooses the text. */
function hostileRun(text: string, id: string): Partial<RunItem> {
  return {
    run_id: id,
    title: text,
    prompt: text,
    state: 'FAILED',
    status_message: { message: text, error_code: text },
    trigger_url: text,
    creator: { display_name: text, uid: text },
    executor: { display_name: `${text}!` },
    metadata: {
      'runlink.repository': text,
      'runlink.thread': text,
      'runlink.url': text,
      'runlink.actor': text,
      [text]: text,
    },
    agent_config: { model_id: text, skill_spec: text, harness: { type: text } },
    schedule: { schedule_id: 's', schedule_name: text, cron_schedule: text },
    request_usage: { model_token_usage: [{ model_id: text, total_tokens: 1 }] },
    artifacts: [
      { artifact_type: 'PULL_REQUEST', created_at: AT, data: { url: text, branch: text } },
      {
        artifact_type: 'EXTERNAL_REFERENCE',
        created_at: AT,
        data: { reference_type: text, url: text, title: text },
      },
      {
        artifact_type: 'FILE',
        created_at: AT,
        data: { artifact_uid: text, filename: text, mime_type: text },
      },
      { artifact_type: 'PLAN', created_at: AT, data: { document_uid: text, title: text } },
      {
        artifact_type: 'SCREENSHOT',
        created_at: AT,
        data: { artifact_uid: text, mime_type: text, description: text },
      },
    ],
  };
}

function hostileLog(text: string): LogEvent[] {
  const events = logOf(
    { type: 'message', message_id: 'm', role: 'assistant', delta: text },
    { type: 'thought', message_id: 't', delta: text },
    {
      type: 'tool_call',
      call_id: '1',
      kind: 'execute',
      title: text,
      input: { command: `${text}\n${text}` },
      status: 'failed',
      output_delta: text,
      exit_code: 1,
    },
    {
      type: 'tool_call',
      call_id: '2',
      kind: 'edit',
      title: text,
      paths: [text],
      diff: { path: text, old_text: text, new_text: `${text}\n${text}` },
    },
    { type: 'tool_call', call_id: '3', title: text, input: { [text]: text }, paths: [text] },
    { type: 'plan', entries: [{ content: text, status: text, priority: text }] },
    { type: 'permission', title: text, decision: 'denied' },
    { type: 'notice', level: 'error', text },
    { type: 'setup', step: 'clone', title: text, started_at: AT, finished_at: AT, output: text },
    { type: 'agent_started', harness: text, version: text, sandbox: text },
    {
      type: 'changes',
      base_sha: text,
      files: [{ path: 'a', status: 'modified', additions: 1, deletions: 1 }],
      diff: `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@ ${text}\n-${text}\n+${text}\n`,
    },
  );
  const followup = {
    type: 'followup' as const,
    at: AT,
    followup_id: 'f',
    message: text,
    creator: { display_name: text },
  };
  return [...events, followup];
}

async function open(): Promise<{ page: Page; foreign: string[] }> {
  page.removeAllListeners();
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(served.origin)) foreign.push(request.url());
  });
  page.on('dialog', (dialog) => {
    foreign.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await signInQuietly(page, served.origin, ADAS_KEY);
  await page.goto(`${served.origin}/runs`);
  return { page, foreign };
}

/** Everything on a page that would run or load something, other than our own parts. */
const FIND_INTRUDERS = `(() => {
  const framework = ['script', 'link', 'meta', 'img'];
  const never = ['iframe', 'svg', 'object', 'embed', 'base', 'style', 'math', 'template'];
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    const name = element.localName;
    if (never.includes(name)) found.push(element.outerHTML);
    const isOurs = name === 'img' && element.src.startsWith(location.origin + '/runs/');
    if (framework.includes(name) && element.closest('main') && !isOurs)
      found.push(element.outerHTML);
    for (const { name: attribute, value } of element.attributes) {
      const harmful = /^\\s*(javascript|data|vbscript):/i.test(value);
      if (attribute.startsWith('on') || attribute === 'style') found.push(attribute + '=' + value);
      if (['href', 'src', 'action'].includes(attribute) && harmful) found.push(value);
    }
  }
  for (const form of document.forms) {
    const target = new URL(form.getAttribute('action'), document.baseURI);
    if (target.origin !== location.origin) found.push(form.outerHTML);
  }
  if (window.pwned !== undefined) found.push('pwned: ' + window.pwned);
  return found;
})()`;

async function intruders(page: Page): Promise<unknown> {
  return page.evaluate(FIND_INTRUDERS);
}

describe('hostile text in a real browser (threats.md S5)', () => {
  it('stays text on the run page, also when it comes live, and in the list', async () => {
    const { page, foreign } = await open();
    for (const [at, text] of HOSTILE.entries()) {
      backend.addRun(hostileRun(text, `hostile-${at}`), hostileLog(text));
    }
    // Live, below, each is shown in any case.
    for (const at of [...HOSTILE.keys()].filter((number) => isLong || number % 3 === 0)) {
      await page.goto(`${served.origin}/runs/hostile-${at}`);
      expect(await intruders(page), `hostile-${at}`).toEqual([]);
      await page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true");
      expect(await intruders(page), `hostile-${at}, unfolded`).toEqual([]);
    }
    const live = backend.addRun({ run_id: 'live' });
    await page.goto(`${served.origin}/runs/${live.run_id}`);
    for (const text of HOSTILE) {
      const events = hostileLog(text).map((event) =>
        event.type === 'message' ? { ...event, message_id: `m-${text}` } : event,
      );
      backend.append('live', ...events);
    }
    backend.change('live', hostileRun(HOSTILE[1] ?? '', 'live'));
    backend.append('live', ...logOf({ type: 'notice', level: 'info', text: 'the very end' }));
    await page.getByText('the very end').waitFor();
    expect(await intruders(page), 'live').toEqual([]);
    await page.goto(`${served.origin}/runs`);
    expect(await intruders(page), 'list').toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('stays text in names of people, teams, keys and environments, and in searches', async () => {
    const text = HOSTILE.join(' ');
    backend.personalKeys.set(ADAS_KEY, { ...ADA, displayName: text, teamName: text, email: text });
    backend.environments.push({
      uid: 'x'.repeat(22),
      config: { name: text },
      last_updated: AT,
      setup_failed: false,
    });
    const { page, foreign } = await open();
    await page.goto(`${served.origin}/settings`);
    await page.fill('#key-name', text.replaceAll('\n', ' ').slice(0, 100));
    await page.click('text=Create key');
    expect(await intruders(page), 'settings').toEqual([]);
    await page.goto(`${served.origin}/runs?q=${encodeURIComponent(text)}&state=${text}`);
    expect(await intruders(page), 'search').toEqual([]);
    await page.goto(`${served.origin}/runs/${encodeURIComponent(text)}`);
    expect(await intruders(page), 'unknown run').toEqual([]);
    await page.goto(`${served.origin}/login?next=${encodeURIComponent(text)}`);
    expect(await intruders(page), 'sign-in').toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('would be stopped by the policy even if markup came through', async () => {
    const { page } = await open();
    const violations = await page.evaluate(`new Promise((done) => {
      const seen = [];
      document.addEventListener('securitypolicyviolation', (event) => {
        seen.push(event.effectiveDirective);
        if (seen.length === 3) done(seen.toSorted());
      });
      const holder = document.createElement('div');
      holder.innerHTML = '<img src="${TRACKER}/x.png" onerror="window.pwned=1">';
      const script = document.createElement('script');
      script.textContent = 'window.pwned=2';
      document.body.append(holder, script);
    })`);
    expect(violations).toEqual(['img-src', 'script-src-attr', 'script-src-elem']);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
  });
});
