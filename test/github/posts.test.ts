import { renderPullRequest } from '../../src/github/render/pull-request.ts';
import { Octokit } from '@octokit/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCheck, runComment } from '../../src/commands/run-posts.ts';
import { renderCheck } from '../../src/github/render/check.ts';
import { COMMENT_MAX } from '../../src/github/render/cut.ts';
import { findPullRequests } from '../../src/github/read/pull-requests.ts';
import { runMarker } from '../../src/github/render/marker.ts';
import { openPullRequest } from '../../src/github/write/pull-request.ts';
import {
  deservesMention,
  renderComment,
  renderMention,
  type Report,
} from '../../src/github/render/report.ts';
import { ENDINGS, presentState } from '../../src/github/render/state.ts';
import type { PostOf } from '../../src/github/write/post.ts';
import { writePost, writesOf } from '../../src/github/write/write-post.ts';
import { TERMINAL_STATES } from '../../src/contract/run-state.ts';
import { startFakeGithub } from '../support/fake-github.ts';
import type { FakeGithub } from '../support/fake-github-shape.ts';
import type { Fault, Seen } from '../support/fake-http.ts';
import { ownHead } from '../support/own-branch.ts';
import { skipWaits } from '../support/skip-waits.ts';

const repository = { owner: 'acme', name: 'widgets', url: '', defaultBranch: 'main' };
const marker = runMarker({ runId: 'r-1', thread: 'acme/widgets#1' });

async function start(): Promise<{ github: Octokit; fake: FakeGithub }> {
  const fake = await startFakeGithub();
  onTestFinished(() => fake.close());
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return { github: new Octokit({ baseUrl: fake.url, log }), fake };
}

function report(run: Partial<Report['run']> = {}, more: Partial<Report> = {}): Report {
  return {
    run: {
      run_id: 'r-1',
      state: 'SUCCEEDED',
      title: 'Fix it',
      created_at: '2026-11-21T08:00:00Z',
      finished_at: '2026-11-21T08:01:00Z',
      session_link: 'https://runs.example/r-1',
      ...run,
    },
    thread: 'acme/widgets#1',
    requester: 'alice',
    pullRequests: [],
    finalMessage: undefined,
    unwatched: false,
    notes: [],
    phrase: '/agent',
    now: new Date('2026-11-21T08:02:00Z'),
    ...more,
  };
}

const status = (code: number, headers?: Record<string, string>, message?: string): Fault => ({
  kind: 'status',
  status: code,
  ...(headers && { headers }),
  ...(message && { message }),
});

const US = 'github-actions[bot]';
const us = { login: async (): Promise<string> => US };
const place = { repository: 'acme/widgets', number: 1, replyTo: null };
const comment = (text: string): PostOf<'comment'> =>
  runComment({ run_id: 'r-1' }, place, `${marker}\n${text}`);
const unknown = { remoteId: undefined, mayExist: true };

describe('the one comment of a run', () => {
  it('is found over all pages and only when it is ours', async () => {
    const { github, fake } = await start();
    fake.addComment(1, 'eve', `${marker}\nforged`);
    for (let count = 0; count < 150; count += 1) fake.addComment(1, 'bob', 'talk');
    const ours = fake.addComment(1, US, `${marker}\r\nold`);
    const stored = await writePost(github, comment('new'), unknown, us);
    expect(stored.id).toBe(String(ours.id));
    expect(ours.body).toBe(`${marker}\nnew`);
    expect(fake.comments).toHaveLength(152);
  });

  it('is not written again when nothing changed', async () => {
    const { github, fake } = await start();
    fake.addComment(1, US, `${marker}\nsame`);
    await writePost(github, comment('same'), unknown, us);
    expect(fake.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('is not looked for where nobody can have written it', async () => {
    const { github, fake } = await start();
    await writePost(github, comment('new'), { remoteId: undefined, mayExist: false }, us);
    expect(fake.seen[0]?.method).toBe('POST');
  });

  it('stays one when two are created at once: the oldest wins', async () => {
    const { github, fake } = await start();
    const write = async (text: string): Promise<unknown> =>
      writePost(github, comment(text), unknown, us);
    await Promise.all([write('one'), write('two'), write('three')]);
    expect(fake.comments).toHaveLength(1);
    const ids = fake.seen.flatMap(({ method, path }) =>
      method === 'DELETE' ? [Number(path.split('/').at(-1))] : [],
    );
    expect(Math.max(...ids)).toBeGreaterThan(fake.comments[0]?.id ?? Infinity);
  });

  it('that somebody deleted stays away', async () => {
    const { github, fake } = await start();
    const standing = { remoteId: '4', mayExist: true };
    await expect(writePost(github, comment('x'), standing, us)).rejects.toMatchObject({
      status: 404,
    });
    expect(fake.comments).toEqual([]);
  });

  it('in a review thread that is gone stands on the pull request, and is changed there', async () => {
    const { github, fake } = await start();
    const inReview = { ...place, replyTo: '77' };
    const post = (text: string): PostOf<'comment'> =>
      runComment({ run_id: 'r-1' }, inReview, `${marker}\n${text}`);
    fake.answers.set('/repos/acme/widgets/pulls/1/comments/77/replies', { status: 404 });
    const { id } = await writePost(
      github,
      post('one'),
      { remoteId: undefined, mayExist: false },
      us,
    );
    await writePost(github, post('two'), { remoteId: id, mayExist: true }, us);
    expect(fake.comments.map(({ body }) => body)).toEqual([`${marker}\ntwo`]);
  });

  it.each([...TERMINAL_STATES, 'QUEUED', 'PENDING', 'INPROGRESS', 'SOMETHING_NEW'])(
    'in state %s says so',
    async (state) => {
      const text = await renderComment(report({ state, finished_at: null }));
      expect(text.startsWith(`${marker}\n`)).toBe(true);
      expect(text).toContain(presentState(state).words);
      expect(text).toContain(`\`${state}\``);
    },
  );

  it('never exceeds GitHub’s limit, and links to the whole', async () => {
    const finalMessage = `@bob #1 ${'word '.repeat(60_000)}`;
    const status = { message: 'x'.repeat(100_000) };
    const text = await renderComment(report({ status_message: status }, { finalMessage }));
    expect(text.length).toBeLessThanOrEqual(COMMENT_MAX);
    expect(text).toContain('[The whole text](https://runs.example/r-1)');
    expect(text).toContain('</details>');
  });

  it('links no address that is none', async () => {
    const text = await renderComment(report({ session_link: 'javascript:alert(1)' }));
    expect(text).not.toContain('javascript:');
  });

  it('is the same text for the same run', async () => {
    expect(await renderComment(report())).toBe(await renderComment(report()));
  });
});

describe('the mention', () => {
  it.each([
    ['a quick success', report(), false],
    ['a slow success', report({ finished_at: '2026-11-21T08:03:00Z' }), true],
    ['a question', report({ state: 'BLOCKED' }), true],
    ['a run that still works', report({ state: 'INPROGRESS', finished_at: null }), false],
    ['a run nobody asked for', report({ state: 'BLOCKED' }, { requester: undefined }), false],
  ])('of %s: %#', (_, one, expected) => {
    expect(deservesMention(one)).toBe(expected);
  });

  it('calls the requester and asks the run’s question', async () => {
    const text = await renderMention(
      report({ state: 'BLOCKED', status_message: { message: 'Which of @a or @b?' } }),
      'https://x/c',
    );
    expect(text).toContain('@alice ✋');
    expect(text).toContain('Which of @&#8203;a or');
  });
});

describe('the check', () => {
  it.each(TERMINAL_STATES)('of %s has its conclusion', async (state) => {
    const body = await renderCheck(report({ state }), 'Runlink');
    expect(body).toMatchObject({
      status: 'completed',
      conclusion: ENDINGS[state].conclusion,
      details_url: 'https://runs.example/r-1',
    });
  });

  it('of a run that goes on unwatched ends neutral', async () => {
    const body = await renderCheck(
      report({ state: 'INPROGRESS', finished_at: null }, { unwatched: true }),
      'Runlink',
    );
    expect(body).toMatchObject({ status: 'completed', conclusion: 'neutral' });
  });

  it('is one per run and head', async () => {
    const { github, fake } = await start();
    const head = { repository: 'acme/widgets', headSha: 'a'.repeat(40) };
    const post = runCheck({ run_id: 'r-1' }, head, await renderCheck(report(), 'Runlink'));
    const first = await writePost(github, post, { remoteId: undefined, mayExist: false }, us);
    const again = await writePost(github, post, unknown, us);
    expect(again.id).toBe(first.id);
    expect(fake.checks).toMatchObject([{ external_id: 'r-1', head_sha: head.headSha }]);
  });
});

describe('a reaction', () => {
  const reaction = (content: 'eyes' | 'rocket'): PostOf<'reaction'> => ({
    key: 'reaction:x',
    kind: 'reaction',
    repository: 'acme/widgets',
    number: 1,
    target: { subject: 'issue_comment', id: '501' },
    content: { content },
  });

  it.each([
    ['whose id is known', true],
    ['that an earlier process gave', false],
  ])('takes the place of the one before it, %s', async (_, isKnown) => {
    const { github, fake } = await start();
    const fresh = { remoteId: undefined, mayExist: false };
    const { id } = await writePost(github, reaction('eyes'), fresh, us);
    const standing = { remoteId: isKnown ? id : undefined, mayExist: true };
    await writePost(github, reaction('rocket'), standing, us);
    expect(fake.reactions).toEqual([{ on: 'issues/501', content: 'rocket' }]);
  });
});

describe('the pull requests of a run', () => {
  const search = { repository, authors: async () => ['runlink[bot]'] };
  const somebody = { login: 'somebody' };
  const head = ownHead({ run_id: 'r-1' });
  const run = (urls: string[], more: object = {}): Report['run'] => ({
    run_id: 'r-1',
    state: 'SUCCEEDED',
    created_at: '2026-11-21T08:00:00Z',
    artifacts: urls.map((url) => ({ artifact_type: 'PULL_REQUEST', data: { url }, ...more })),
  });

  it('are its artifacts, looked up and spelled in one way', async () => {
    const { github, fake } = await start();
    fake.addPull({ number: 12, title: 'Fix', head, user: somebody });
    const base = `${fake.url}/acme/widgets/pull`;
    const found = await findPullRequests(
      github,
      run([`${base}/12/files#x`, `${base}/12`, `${base}/99`]),
      search,
    );
    expect(found).toEqual([
      {
        url: `${base}/12`,
        number: 12,
        repository: 'acme/widgets',
        title: 'Fix',
        state: 'open',
        isOwn: true,
      },
    ]);
  });

  it.each([
    ['comes from a fork', { ...head, repo: { full_name: 'eve/widgets' } }],
    ['comes from a fork that is gone', { ...head, repo: null }],
    ['has another branch', { ...head, ref: 'runlink/fix-it-000000000000' }],
    ['names it within its branch', { ...head, ref: 'runlink/r-1-000000000000' }],
    ['has a branch that ends like it', { ...head, ref: 'runlink/fixr-1' }],
  ])('are its own by their branch, but none that %s (threats.md G17)', async (_, other) => {
    const { github, fake } = await start();
    fake.addPull({ number: 12, user: somebody, body: 'r-1', head: other });
    const claim = [`${fake.url}/acme/widgets/pull/12`];
    expect(await findPullRequests(github, run(claim), search)).toMatchObject([{ isOwn: false }]);
    expect(await findPullRequests(github, run([]), search)).toEqual([]);
  });

  const topic = { ...head, ref: 'topic' };
  const bot = { login: 'runlink[bot]' };
  it.each([
    ['the run said so itself', { user: bot, head: topic }, 'run', false],
    ['the worker reported it', { user: somebody, head: topic }, 'worker', true],
    ['a person reported it', { user: somebody, head: topic }, 'user', true],
    [
      'nobody says who did, and a bot of ours opened it',
      { user: bot, head: topic },
      undefined,
      true,
    ],
    ['nobody says who did, and somebody opened it', { user: somebody }, undefined, false],
    [
      'nobody says who did, and it is older than the run',
      { user: bot, head: topic, created_at: '2026-11-21T07:59:00Z' },
      undefined,
      false,
    ],
    [
      'nobody says who did, and it comes from a fork',
      { user: bot, head: { ...topic, repo: { full_name: 'eve/widgets' } } },
      undefined,
      false,
    ],
  ])('where %s: its own is %#', async (_, pull, reported_by, isOwn) => {
    const { github, fake } = await start();
    fake.addPull({ number: 12, created_at: '2026-11-21T08:00:30Z', ...pull });
    const claim = run([`${fake.url}/acme/widgets/pull/12`], {
      ...(reported_by && { reported_by }),
    });
    expect(await findPullRequests(github, claim, search)).toMatchObject([{ isOwn }]);
  });

  it('are found by their branch where it names none', async () => {
    const { github, fake } = await start();
    fake.addPull({ number: 2, user: bot, body: 'r-1' });
    fake.addPull({ number: 3, user: somebody, head });
    const found = await findPullRequests(github, run([]), search);
    expect(found.map(({ number, isOwn }) => [number, isOwn])).toEqual([[3, true]]);
  });

  it('stay, as unknown, when GitHub does not say', async () => {
    const { github, fake } = await start();
    fake.faults.push({ matches: () => true, fault: { kind: 'status', status: 500 }, times: 1 });
    const url = `${fake.url}/acme/widgets/pull/12`;
    const unsaid = [{ url, state: 'unknown', isOwn: false }];
    expect(await findPullRequests(github, run([url]), search)).toMatchObject(unsaid);
    expect(await findPullRequests(undefined, run([url]), search)).toMatchObject(unsaid);
  });
});

it('a review counts as one write for each of its comments on lines (docs: using-the-rest-api/rate-limits)', () => {
  const finding = { marker: '', path: 'a', line: 1, startLine: undefined, side: 'RIGHT' } as const;
  const findings = Array.from({ length: 50 }, (_, at) => {
    return { ...finding, number: at + 1, text: 'x', suggestion: undefined, hint: '' };
  });
  const standing = { remoteId: undefined, mayExist: false };
  const counted = [0, 3, 50].map((count) => {
    const content = { event: 'COMMENT', opening: '', closing: '', settled: [] } as const;
    const review: PostOf<'review'> = {
      key: 'review',
      kind: 'review',
      repository: 'acme/widgets',
      number: 1,
      target: { marker, headSha: 'a'.repeat(40) },
      content: { ...content, settled: [], findings: findings.slice(0, count) },
    };
    return writesOf(review, standing);
  });
  expect(counted).toEqual([4, 7, 44]);
});

describe('opening a pull request', () => {
  const wanted = { owner: 'acme', repo: 'widgets', head: 'runlink/r-1', title: 'Fix', body: 'x' };

  it('twice opens one', async () => {
    const { github, fake } = await start();
    const first = await openPullRequest(github, wanted);
    const second = await openPullRequest(github, wanted);
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.url).toBe(first.url);
    expect(fake.pulls).toHaveLength(1);
    expect(fake.pulls[0]?.base.ref).toBe('main');
  });

  it('finds the one that was opened meanwhile', async () => {
    const { github, fake } = await start();
    fake.faults.push({
      matches: ({ method }) => method === 'POST',
      fault: { kind: 'status', status: 422 },
      times: 1,
      effective: true,
    });
    fake.faults.push({ matches: () => false, fault: { kind: 'reset' }, times: 0 });
    await expect(openPullRequest(github, wanted)).resolves.toMatchObject({ created: false });
    expect(fake.pulls).toHaveLength(1);
  });

  const secondary = 'You have exceeded a secondary rate limit.';
  it.each<[string, Fault, boolean]>([
    ['a limit of a minute', status(403, { 'retry-after': '60' }, secondary), false],
    ['429', status(429, { 'retry-after': '7' }), false],
    ['403 without a reason', status(403), false],
    ['502', status(502), false],
    ['502 once it was opened', status(502), true],
    ['a connection that broke', { kind: 'reset' }, false],
    ['a connection that broke once it was opened', { kind: 'reset' }, true],
    ['half an answer', { kind: 'half' }, true],
  ])('past %s opens one (docs: using-the-rest-api/rate-limits)', async (_, fault, effective) => {
    const waits = skipWaits();
    const { github, fake } = await start();
    for (const method of ['POST', 'GET']) {
      const matches = (seen: Seen): boolean => seen.method === method;
      fake.faults.push({ matches, fault, times: 1, effective });
    }
    const opened = await openPullRequest(github, wanted);
    expect(fake.pulls.map(({ html_url }) => html_url)).toEqual([opened.url]);
    const asked = (fault.kind === 'status' && fault.headers?.['retry-after']) || 0;
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(Number(asked) * 1000);
  });

  it('at a limit that lasts says that, and not that a permission is missing', async () => {
    skipWaits();
    const { github, fake } = await start();
    const fault = status(403, { 'retry-after': '1800' }, secondary);
    fake.faults.push({ matches: () => true, fault, times: 9 });
    await expect(openPullRequest(github, wanted)).rejects.toMatchObject({
      hint: expect.stringContaining('limit'),
    });
    expect(fake.seen).toHaveLength(1);
  });

  it('that GitHub refuses says what to do', async () => {
    skipWaits();
    const { github, fake } = await start();
    fake.faults.push({
      matches: ({ method }) => method === 'POST',
      fault: { kind: 'status', status: 403 },
      times: 9,
    });
    await expect(openPullRequest(github, wanted)).rejects.toMatchObject({
      code: 'pull_request_failed',
      hint: expect.stringContaining('write permission'),
    });
  });

  it('closes no issue and calls nobody by its text', async () => {
    const { body } = await renderPullRequest({
      runId: 'r-1',
      sessionLink: 'https://x/r-1',
      title: 'Fix',
      message: 'Fixes #1 for @bob',
      thread: 'acme/widgets#1',
      requester: 'alice',
    });
    expect(body).toContain('Fixes #&#8203;1 for @&#8203;bob');
    expect(body).toContain('r-1');
    expect(body).not.toContain('@alice');
  });
});
