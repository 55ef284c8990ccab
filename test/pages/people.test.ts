import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { createSignInLink } from '../../src/service/sessions/sessions.ts';
import { closeContexts, shareBrowser, signInQuietly } from '../support/browser.ts';
import { startFake, type FakeServer } from '../support/fake-http.ts';
import { servePages, type ServedPages } from '../support/served-pages.ts';

let pages: ServedPages;
let github: FakeServer;
let directory: string;
let browser: Browser;
let page: Page;
/** In somebody else's browser. */
let other: Page;

beforeAll(async () => {
  github = await startFake(() => ({
    status: 201,
    json: { id: 7, pem: 'a key', webhook_secret: 's', html_url: 'https://github.example/apps/x' },
  }));
  directory = await mkdtemp(join(tmpdir(), 'runlink-test-'));
  const setup = { githubApiUrl: github.url, file: join(directory, 'app.env') };
  pages = await servePages({}, { setup });
  browser = await shareBrowser();
  page = await browser.newPage();
  other = await browser.newPage();
  page.on('dialog', (dialog) => void dialog.accept());
  await signInQuietly(page, pages.serving.url, pages.ownerKey);
});
afterAll(async () => {
  await closeContexts(browser);
  await pages.close();
  await github.close();
  await rm(directory, { recursive: true });
});

const goto = (path: string, on = page) => on.goto(pages.serving.url + path);

/** A member of the owner's team whom no other test knows. */
async function newMember(): Promise<{ name: string; key: string }> {
  const { db } = pages.serving.service.context;
  const name = `mia-${randomUUID().slice(0, 8)}`;
  return { name, key: (await createPersonalKey(db, { team: 'default', user: name })).key };
}

async function makeReader(name: string): Promise<void> {
  await goto('/settings/members');
  await page.getByLabel(`Role of ${name}`).selectOption('reader');
  const row = page.locator('tr', { hasText: name }).first();
  await row.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL('**/settings/members');
  await expect.poll(() => page.getByLabel(`Role of ${name}`).inputValue()).toBe('reader');
}

async function remove(name: string): Promise<void> {
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('button', { name: `Let back in ${name}` }).waitFor();
}

const elsewhere = (key: string) => signInQuietly(other, pages.serving.url, key);

describe('people', () => {
  it('are given roles and removed, which ends their browsers and keys', async () => {
    const { name, key } = await newMember();
    await elsewhere(key);
    expect((await goto('/settings/members', other))?.status()).toBe(200);
    expect(await other.getByRole('button', { name: 'Remove' }).count()).toBe(0);
    expect((await goto('/settings/audit', other))?.status()).toBe(403);
    expect(await other.innerText('main')).toContain('This needs the role owner');

    await makeReader(name);
    await goto('/runs', other);
    await other.fill('#prompt', 'Do it');
    await other.getByRole('button', { name: 'Run', exact: true }).click();
    await other.getByText('may only read').waitFor();

    await goto('/settings/members');
    await remove(name);
    expect((await goto('/runs', other))?.status()).toBe(401);
  });

  it('see whose each key is', async () => {
    const post = async (path: string, data: object) => {
      const headers = { authorization: `Bearer ${pages.ownerKey}` };
      const answer = await page.request.post(pages.serving.apiBaseUrl + path, { headers, data });
      return (await answer.json()) as { uid: string };
    };
    const { uid } = await post('/agent/identities', { name: 'Night owl' });
    await post('/agent/keys', { name: 'ci', agent_uid: uid });
    await goto('/settings/members');
    const row = page.locator('tr', { hasText: 'ci' }).filter({ hasText: 'Revoke' });
    const holder = row.getByRole('link', { name: 'Night owl' });
    expect(await holder.getAttribute('href')).toBe(`/agents/${uid}`);
  });

  it('see where they are signed in, and sign a browser out', async () => {
    await elsewhere(pages.ownerKey);
    await goto('/settings');
    const rows = page.locator('[aria-label="Sign-ins"] tbody tr');
    expect(await rows.filter({ hasText: 'this one' }).count()).toBe(1);
    const others = rows.filter({ hasNotText: 'this one' });
    for (let left = await others.count(); left > 0; left -= 1) {
      await others.getByRole('button').first().click();
      await expect.poll(() => others.count()).toBe(left - 1);
    }
    expect((await goto('/runs', other))?.status()).toBe(401);
    expect((await goto('/runs'))?.status()).toBe(200);
  });

  it('who are in two teams go from one to the other, but not by the key of one', async () => {
    const { db } = pages.serving.service.context;
    const { key } = await createPersonalKey(db, { team: 'default', user: 'ann', role: 'member' });
    await createPersonalKey(db, { team: 'second', user: 'ann', role: 'owner' });
    await elsewhere(key);
    await goto('/settings', other);
    expect(await other.getByText('Your teams').count()).toBe(0);
    const { user_id: userId, team_id: teamId } = await db
      .selectFrom('sessions as s')
      .innerJoin('users as u', 'u.id', 's.user_id')
      .where('u.name', '=', 'ann')
      .select(['s.user_id', 's.team_id'])
      .executeTakeFirstOrThrow();
    const { token } = await createSignInLink(db, { userId, teamId });
    await other.context().clearCookies();
    await goto(`/login?token=${token}`, other);
    await goto('/settings', other);
    await other.getByRole('button', { name: 'Go there second' }).click();
    await other.waitForURL('**/runs');
    expect(await other.innerText('.who')).toContain('second');
    await goto('/settings', other);
    expect(await other.innerText('.facts')).toMatch(/second[\s\S]*owner/);
    expect(await other.locator('[aria-label="Sign-ins"] tbody tr').count()).toBe(1);
  });

  it('are told when somebody else would be locked out', async () => {
    await goto('/settings/members');
    await page.getByRole('button', { name: 'Remove owner' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('A team needs an owner');
  });
});

describe('the audit log (threats.md S22)', () => {
  it('says when an App was set up here', async () => {
    await other.context().clearCookies();
    await other.goto(pages.serving.setupUrl ?? '');
    const [state = ''] = /(?<=state=)[\w-]+/.exec(await other.content()) ?? [];
    const callback = `${pages.serving.url}/probot/setup?code=abc&state=${state}`;
    await other.request.get(callback, { maxRedirects: 0 });
    await goto('/settings/audit?action=app.created');
    expect(await page.innerText('tbody tr')).toMatch(/the operator[\s\S]*created the App[\s\S]*7/);
  });

  it('is filtered, leads to one thing or person, and is exported', async () => {
    const { name } = await newMember();
    await makeReader(name);
    await remove(name);
    await goto('/settings/audit');
    const rows = page.locator('tbody tr');
    expect((await rows.allInnerTexts()).join()).toMatch(/owner[\s\S]*127\.0\.0\.1/);
    await page.locator('select[name=action]').selectOption('member.role_changed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/action=member.role_changed/);
    expect((await rows.allInnerTexts()).join()).not.toContain('removed from the team');
    expect(await rows.first().innerText()).toContain(`changed the role of ${name}`);
    await rows.first().getByRole('link', { name }).click();
    await rows.filter({ hasText: 'removed from the team' }).first().waitFor();
    const exported = await page.request.get(`${pages.serving.url}/settings/audit.ndjson`);
    const events = (await exported.text()).trim().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { action: string }).action)).toContain(
      'member.removed',
    );
    expect(exported.headers()['content-disposition']).toContain('attachment');
    await other.context().clearCookies();
    for (const path of ['/login?token=guessed', '/login']) await goto(path, other);
    await other.fill('#key', 'rl_guessed');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('alert').waitFor();
    await goto('/settings/audit?action=sign_in.refused');
    expect((await rows.allInnerTexts()).slice(0, 2)).toEqual([
      expect.stringMatching(/somebody[\s\S]*was not let in[\s\S]*by\s+key[\s\S]*127\.0\.0\.1/),
      expect.stringMatching(/somebody[\s\S]*was not let in[\s\S]*by\s+link/),
    ]);
    await goto('/settings/audit?cursor=forged&action=nonsense&from=never');
    expect(await rows.count()).toBeGreaterThan(1);
  });
});
