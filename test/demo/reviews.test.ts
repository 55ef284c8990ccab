import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { openSetup } from '../../src/app/setup/open-setup.ts';
import { readCredentials } from '../../src/app/setup/credentials-file.ts';
import { writePost } from '../../src/github/write/write-post.ts';
import type { PostOf } from '../../src/github/write/post.ts';
import { reviewMarker } from '../../src/github/render/review.ts';
import {
  listenForEvents,
  pushFile,
  standInOfFile,
  temporaryDirectory,
} from '../support/standin.ts';
import { join } from 'node:path';

const github = await standInOfFile();
const place = { owner: 'acme', repo: 'widgets' };
const person = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token });
const { id: appId, privateKey, installationId } = github.app;
const app = new Octokit({
  baseUrl: github.apiUrl,
  authStrategy: createAppAuth,
  auth: { appId, privateKey, installationId },
});

let number = 0;
let sha = '';
beforeAll(async () => {
  const { token } = github.maintainer;
  const change = { branch: 'topic', file: 'src/new.js', content: 'one\ntwo\nthree\n', token };
  sha = await pushFile(github, change);
  const { data } = await person.pulls.create({
    ...place,
    title: 'New',
    head: 'topic',
    base: 'main',
  });
  number = data.number;
});

function post(
  artifact: string,
  words: readonly string[],
  settled: number[] = [],
): PostOf<'review'> {
  const marker = reviewMarker('run-1', artifact);
  const findings = words.map((text, at) => ({
    number: at + 1,
    marker: `<!-- runlink note=finding key=run-1:${artifact}:${at + 1} -->`,
    path: 'src/new.js',
    line: at + 1,
    startLine: undefined,
    side: 'RIGHT' as const,
    text,
    suggestion: undefined,
    hint: '',
  }));
  const content = { event: 'COMMENT', opening: 'Words', closing: '', findings, settled } as const;
  const key = `review:${artifact}`;
  const at = { repository: 'acme/widgets', number };
  return { key, ...at, kind: 'review', target: { marker, headSha: sha }, content: { ...content } };
}

const write = (one: PostOf<'review'>) =>
  writePost(
    app,
    one,
    { remoteId: undefined, mayExist: true },
    { login: async () => github.app.botLogin },
  );

describe('the stand-in, as GitHub,', () => {
  it.each([
    [{ line: 4 }, 'Line could not be resolved'],
    [{ line: 2, path: 'README.md' }, 'Path could not be resolved'],
    [{ line: 2, start_line: 2 }, 'start_line must precede'],
    [{ line: 2, side: 'LEFT' }, 'Line could not be resolved'],
  ])('refuses a whole review for a comment on %j', async (wrong, message) => {
    const comments = [
      { path: 'src/new.js', line: 1, body: 'good' },
      { path: 'src/new.js', body: 'bad', ...wrong },
    ];
    const pull = { ...place, pull_number: number };
    const body = { ...pull, event: 'COMMENT' as const, body: 'x', comments };
    const { data: before } = await app.pulls.listReviews(pull);
    const answer = await app.pulls.createReview(body).catch((error: unknown) => error);
    expect(answer).toMatchObject({ status: 422 });
    expect(JSON.stringify((answer as { response: unknown }).response)).toContain(message);
    expect((await app.pulls.listReviews(pull)).data).toEqual(before);
  });

  it('keeps reviews on their lines, found again, settled and shown on the page', async () => {
    await write(post('a1', ['First.', 'Second.', 'Third.']));
    await write(post('a1', ['First.', 'Second.', 'Third.']));
    const listed = await person.pulls.listReviewComments({ ...place, pull_number: number });
    expect(listed.data.map(({ line, path }) => [path, line])).toEqual([
      ['src/new.js', 1],
      ['src/new.js', 2],
      ['src/new.js', 3],
    ]);
    await write(post('a2', ['First.'], [2]));
    const { data } = await person.pulls.listReviewComments({ ...place, pull_number: number });
    expect(data).toHaveLength(3);
    expect(data[0]?.body).toContain('key=run-1:a2:1');
    const page = await (
      await fetch(github.repository.issueUrl.replace(/issues.*/, `pull/${number}`))
    ).text();
    expect(page.match(/<b>resolved<\/b>/g)).toHaveLength(1);
    expect(page).toContain('outdated: a later review took its place');
  });
});

describe('on the stand-in', () => {
  const home = new URL(github.repository.issueUrl).origin;
  const form = (path: string, fields: Record<string, string>, origin = home) =>
    fetch(home + path, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });

  it('a visitor comments as the maintainer, from its own page only', async () => {
    const path = `/acme/widgets/pull/${number}/comments`;
    const comments = async () =>
      (await person.issues.listComments({ ...place, issue_number: number })).data;
    const before = await comments();
    expect((await form(path, { body: 'x' }, 'https://evil.example')).status).toBe(403);
    const answer = await form(path, { body: 'Hello from the page' });
    expect(answer.headers.get('location')).toMatch(/#issuecomment-\d+$/);
    const added = (await comments()).slice(before.length);
    expect(added.map(({ body, user }) => [body, user?.login])).toEqual([
      ['Hello from the page', 'octocat'],
    ]);
  });

  it('an App is created from its manifest, by clicking', async () => {
    const { events } = await listenForEvents(github);
    const file = join(await temporaryDirectory(), 'app.env');
    const publicUrl = 'http://127.0.0.1:9';
    const pages = openSetup({ githubApiUrl: github.apiUrl, file, publicUrl, log: silentLog });
    expect(pages.path).toContain('/probot?key=');
    const manifest = {
      name: 'Mine',
      redirect_url: `${publicUrl}/probot/setup`,
      hook_attributes: { url: `${publicUrl}/api/github/webhooks` },
      default_events: ['push'],
      default_permissions: { checks: 'write' },
    };
    const page = await form('/settings/apps/new?state=s', { manifest: JSON.stringify(manifest) });
    const back = /href="(http:\/\/127[^"]+)"/.exec(await page.text())?.[1] ?? '';
    const { searchParams } = new URL(back.replaceAll('&amp;', '&'));
    expect(searchParams.get('state')).toBe('s');
    const code = searchParams.get('code') ?? '';
    const stranger = new Octokit({ baseUrl: github.apiUrl });
    const { data } = await stranger.request('POST /app-manifests/{code}/conversions', { code });
    expect(data).toMatchObject({
      id: appId,
      pem: privateKey,
      webhook_secret: github.app.webhookSecret,
      client_id: github.app.clientId,
      client_secret: github.app.clientSecret,
    });
    const again = stranger.request('POST /app-manifests/{code}/conversions', { code });
    await expect(again).rejects.toMatchObject({ status: 404 });
    expect((await fetch(`${data.html_url}/installations/new`)).status).toBe(200);
    expect((await form('/settings/apps/new', { manifest: '{"name": 1}' })).status).toBe(422);
    expect(readCredentials(file)).toEqual({});
    await vi.waitFor(() => expect(events).toBeDefined(), 30_000);
  });
});
