import type { Browser, Page } from 'playwright-core';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest';
import { createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { checkMemberships } from '../../src/service/sign-in/sign-in.ts';
import { closeContexts, shareBrowser } from '../support/browser.ts';
import { prepareCliProcess } from '../support/cli-process.ts';
import { useTestDatabase } from '../support/database.ts';
import { servePages, type ServedPages } from '../support/served-pages.ts';
import { standInOfFile, temporaryDirectory } from '../support/standin.ts';

const github = await standInOfFile();
let pages: ServedPages;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const { app, repository, apiUrl } = github;
  pages = await servePages(
    {
      github: { api_url: apiUrl },
      sign_in: [
        { organization_id: repository.ownerId, team: 'default', role: 'member' },
        { organization_id: repository.ownerId, github_team: 'nobody', role: 'owner' },
      ],
    },
    {
      variables: {
        APP_ID: String(app.id),
        PRIVATE_KEY: app.privateKey,
        GITHUB_CLIENT_ID: app.clientId,
        GITHUB_CLIENT_SECRET: app.clientSecret,
      },
    },
  );
  browser = await shareBrowser();
  // A new page costs Chromium more than all that one test does on it.
  page = await browser.newPage();
});
afterAll(async () => {
  await closeContexts(browser);
  await pages.close();
});
beforeEach(() => page.context().clearCookies());
afterEach(() => github.faults.clear());

const db = () => pages.serving.service.context.db;
const goto = (path: string, on = page) => on.goto(pages.serving.url + path);

/** Clicks through GitHub's page as somebody. */
async function signInAs(login: string, path = '/overview', on = page): Promise<void> {
  await goto(path, on);
  await on.getByRole('link', { name: 'Sign in with GitHub' }).click();
  await on.getByRole('link', { name: login }).click();
}

const octocat = () =>
  db()
    .selectFrom('users as u')
    .innerJoin('github_accounts as a', 'a.user_id', 'u.id')
    .where('u.github_login', '=', 'octocat')
    .select(['u.id', 'u.name', 'a.github_id'])
    .executeTakeFirstOrThrow();

/** Somebody was never here. */
async function forget(login: string): Promise<void> {
  await db().deleteFrom('users').where('github_login', '=', login).execute();
}

/** GitHub is asked again, as it is every hour. */
async function askAgain(): Promise<void> {
  await db().updateTable('memberships').set({ asked_at: null }).execute();
  await checkMemberships(pages.serving.service.context);
}

describe('signing in with GitHub', () => {
  it('leads back to where one wanted to go, as a member by the organisation', async () => {
    await forget('octocat');
    const { last } = await db()
      .selectFrom('audit_events')
      .select((it) => it.fn.max('id').as('last'))
      .executeTakeFirstOrThrow();
    await signInAs('octocat', '/overview?days=7');
    await page.waitForURL(`${pages.serving.url}/overview?days=7`);
    await goto('/settings');
    expect(await page.innerText('main')).toMatch(/by GitHub/);
    expect(await page.innerText('.facts')).toMatch(/Mona Octocat[\s\S]*member/);
    const joined = await db()
      .selectFrom('audit_events')
      .where('id', '>', last ?? '0')
      .select(['action', 'details'])
      .orderBy('id')
      .execute();
    expect(joined).toMatchObject([
      { action: 'member.joined', details: { role: 'member' } },
      { action: 'sign_in.begun', details: { via: 'github' } },
    ]);
  });

  it('refuses who is in no organisation that may, and says so', async () => {
    await signInAs('passer-by');
    await page.getByRole('alert').getByText('none of the organisations').waitFor();
    expect((await goto('/runs'))?.status()).toBe(401);
    const known = await db()
      .selectFrom('users')
      .where('github_login', '=', 'passer-by')
      .select('id')
      .execute();
    expect(known).toEqual([]);
    const noted = await db()
      .selectFrom('audit_events')
      .where('action', '=', 'sign_in.refused')
      .where('actor_name', '=', '@passer-by')
      .select(['team_id', 'actor_name', 'address', 'details'])
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    expect(noted).toEqual([
      { team_id: null, actor_name: '@passer-by', address: '127.0.0.1', details: { via: 'github' } },
    ]);
  });

  it('says so when GitHub is away, and asks for a key', async () => {
    github.faults.arm({ kind: 'down' }, /access_token/);
    await signInAs('octocat');
    expect(await page.getByRole('alert').innerText()).toContain('could not say who you are');
  });
});

/** A browser that began, and the address that GitHub sends it back to. */
async function began(at = pages.serving.url) {
  const answer = await fetch(`${at}/login/github`, { redirect: 'manual' });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const asked = new URL(answer.headers.get('location') ?? '');
  asked.searchParams.set('login', 'octocat');
  const granted = await fetch(asked, { redirect: 'manual' });
  return { cookie, url: granted.headers.get('location') ?? '' };
}

it('is what a `runlink serve` offers that is given an App by the path of its key', async () => {
  const { app, repository, apiUrl } = github;
  const directory = await temporaryDirectory();
  const config = join(directory, 'runlink.yaml');
  const key = join(directory, 'app.pem');
  const entry = { organization_id: repository.ownerId, team: 'default', role: 'reader' };
  await writeFile(config, JSON.stringify({ github: { api_url: apiUrl }, sign_in: [entry] }));
  await writeFile(key, app.privateKey);
  const { url: database } = await useTestDatabase();
  const words = ['serve', '--no-worker', '--port', '0', '--config', config];
  const serve = prepareCliProcess({
    name: 'serve',
    directory,
    words: [...words, '--data', join(directory, 'data'), '--database-url', database],
    env: {
      APP_ID: String(app.id),
      PRIVATE_KEY_PATH: key,
      GITHUB_CLIENT_ID: app.clientId,
      GITHUB_CLIENT_SECRET: app.clientSecret,
    },
  });
  onTestFinished(() => serve.kill());
  const { url } = await serve.start();
  const mine = await began(url);
  const back = await fetch(mine.url, { redirect: 'manual', headers: { cookie: mine.cookie } });
  expect([back.status, back.headers.get('location')]).toEqual([303, '/runs']);
  const cookie = back.headers
    .getSetCookie()
    .map((it) => it.split(';')[0] ?? '')
    .find((it) => /session=./.test(it));
  const settings = await fetch(`${url}/settings`, { headers: { cookie: cookie ?? '' } });
  expect(await settings.text()).toMatch(/Mona Octocat[\s\S]*reader[\s\S]*by GitHub/);
  expect(await serve.stop()).toBe(0);
});

describe('a sign-in with GitHub that somebody else wants to use (threats.md S26)', () => {
  const come = async (url: string, cookie?: string) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      ...(cookie === undefined ? {} : { headers: { cookie } }),
    });
    const sessions = answer.headers.getSetCookie().filter((it) => /session=[^;]/.test(it));
    return { status: answer.status, sessions: sessions.length, text: await answer.text() };
  };

  it('signs in nobody in a browser that did not begin it', async () => {
    const [mine, theirs] = [await began(), await began()];
    for (const cookie of [undefined, theirs.cookie, 'runlink_session_github=..'])
      expect(await come(mine.url, cookie)).toMatchObject({ status: 401, sessions: 0 });
    expect((await come(mine.url)).text).toContain('not started in this browser');
  });

  it('is good once, and its code for the one who began alone', async () => {
    const [mine, theirs] = [await began(), await began()];
    const url = new URL(mine.url);
    url.searchParams.set('code', new URL(theirs.url).searchParams.get('code') ?? '');
    expect(await come(url.href, mine.cookie)).toMatchObject({ status: 403, sessions: 0 });
    expect((await come(mine.url, mine.cookie)).status).toBe(303);
    expect(await come(mine.url, mine.cookie)).toMatchObject({ status: 403, sessions: 0 });
    await goto('/login/github');
    await page.getByRole('link', { name: 'octocat' }).click();
    await page.waitForURL('**/runs');
    await page.goBack().catch(() => undefined);
    const kept = (await page.context().cookies()).filter(({ name }) => name.endsWith('_github'));
    expect(kept).toEqual([]);
  });

  it('leads to no other site', async () => {
    await goto(`/login/github?${new URLSearchParams({ next: '//evil.example/runs' }).toString()}`);
    await page.getByRole('link', { name: 'octocat' }).click();
    await page.waitForURL(`${pages.serving.url}/runs`);
    expect(await page.title()).toContain('Runs');
  });

  it('keeps what it begins with from scripts and from every other path', async () => {
    const answer = await fetch(`${pages.serving.url}/login/github`, { redirect: 'manual' });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/Path=\/login\/github; HttpOnly; SameSite=Lax/);
    const to = new URL(answer.headers.get('location') ?? '');
    expect(to.origin).toBe(github.url);
    expect(to.searchParams.get('code_challenge_method')).toBe('S256');
    expect(to.searchParams.get('redirect_uri')).toBe(`${pages.serving.url}/login/github/callback`);
  });
});

describe('an account (threats.md S26)', () => {
  it('is known by its number, never by a name that somebody has here or had there', async () => {
    await createPersonalKey(db(), { team: 'default', user: 'octocat', role: 'owner' });
    await signInAs('octocat');
    await page.waitForURL('**/overview');
    const { id, name } = await octocat();
    expect(name).toMatch(/^github:\d+$/);
    await db().updateTable('users').set({ github_login: 'former' }).where('id', '=', id).execute();
    await askAgain();
    expect((await goto('/runs'))?.status()).toBe(200);
    await signInAs('octocat', '/login');
    await page.waitForURL('**/runs');
    expect((await octocat()).id).toBe(id);
    // Somebody else who took over the login is not who is meant.
    const taken = { github_id: '424242424' };
    const { github_id } = await octocat();
    await db().updateTable('github_accounts').set(taken).where('user_id', '=', id).execute();
    await askAgain();
    expect((await goto('/runs'))?.status()).toBe(401);
    await db()
      .updateTable('github_accounts')
      .set({ github_id })
      .where('user_id', '=', id)
      .execute();
  });

  it('that left the organisation loses sign-ins and keys within the hour; an error is no leaving', async () => {
    await signInAs('octocat');
    await page.waitForURL('**/overview');
    await goto('/settings');
    await page.fill('#key-name', 'laptop');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.inputValue('#new-key');
    const ask = async () =>
      (
        await fetch(`${pages.serving.apiBaseUrl}/agent/whoami`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).status;
    github.faults.arm({ kind: 'error', status: 500 }, /memberships\/octocat/);
    await askAgain();
    expect(await ask()).toBe(200);
    github.faults.clear();
    github.faults.arm({ kind: 'error', status: 404 }, /memberships\/octocat/);
    await askAgain();
    expect(await ask()).toBe(401);
    expect((await goto('/runs'))?.status()).toBe(401);
    await signInAs('octocat');
    await page.getByRole('alert').waitFor();
  });

  it('that an owner removed stays out until it is let back in', async () => {
    await signInAs('octocat');
    await page.waitForURL('**/overview');
    const { id } = await octocat();
    const call = (method: string, body?: object) =>
      fetch(`${pages.serving.apiBaseUrl}/agent/members/${id}`, {
        method,
        headers: {
          authorization: `Bearer ${pages.ownerKey}`,
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    expect((await call('DELETE')).status).toBe(204);
    await signInAs('octocat', '/runs');
    await page.getByRole('alert').getByText('An owner removed you').waitFor();
    expect((await call('PATCH', { role: 'member' })).status).toBe(200);
    await signInAs('octocat', '/login');
    await page.waitForURL('**/runs');
  });
});
