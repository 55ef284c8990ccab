import { renderPullRequest } from '../../src/github/render/pull-request.ts';
import { upsertCheck } from '../../src/github/write/check.ts';
import { Octokit } from '@octokit/core';
import { describe, expect, it, onTestFinished } from 'vitest';
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
import { upsertComment, type Author } from '../../src/github/write/upsert.ts';
import { TERMINAL_STATES } from '../../src/contract/run-state.ts';
import { startFakeGithub, type FakeGithub } from '../support/fake-github.ts';

const repository = { owner: 'acme', name: 'widgets', url: '', defaultBranch: 'main' };
const target = { repository, number: 1 };
const isOurs = (author: Author): boolean => author.login === 'github-actions[bot]';
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

describe('the one comment of a run', () => {
  it('is found over all pages and only when it is ours', async () => {
    const { github, fake } = await start();
    fake.addComment(1, 'eve', `${marker}\nforged`);
    for (let count = 0; count < 150; count += 1) fake.addComment(1, 'bob', 'talk');
    const ours = fake.addComment(1, 'github-actions[bot]', `${marker}\r\nold`);
    const stored = await upsertComment(github, target, {
      marker,
      body: `${marker}\nnew`,
      isOurs,
      mayExist: true,
    });
    expect(stored.id).toBe(ours.id);
    expect(ours.body).toBe(`${marker}\nnew`);
    expect(fake.comments).toHaveLength(152);
  });

  it('is not written again when nothing changed', async () => {
    const { github, fake } = await start();
    fake.addComment(1, 'github-actions[bot]', `${marker}\nsame`);
    await upsertComment(github, target, {
      marker,
      body: `${marker}\nsame`,
      isOurs,
      mayExist: true,
    });
    expect(fake.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('stays one when two are created at once: the oldest wins', async () => {
    const { github, fake } = await start();
    const write = async (body: string): Promise<unknown> =>
      upsertComment(github, target, { marker, body: `${marker}\n${body}`, isOurs, mayExist: true });
    await Promise.all([write('one'), write('two'), write('three')]);
    expect(fake.comments).toHaveLength(1);
    const first = Math.min(...(fake.seen.length ? fake.comments.map(({ id }) => id) : []));
    expect(fake.comments[0]?.id).toBe(first);
  });

  it('that somebody deleted is written anew', async () => {
    const { github, fake } = await start();
    const stored = await upsertComment(github, target, {
      marker,
      body: `${marker}\nx`,
      isOurs,
      knownId: 4,
      mayExist: false,
    });
    expect(fake.comments.map(({ id }) => id)).toEqual([stored.id]);
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
      external_id: 'r-1',
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
    const body = await renderCheck(report(), 'Runlink');
    const at = { repository, sha: 'a'.repeat(40) };
    const first = await upsertCheck(github, at, body, { mayExist: false });
    const again = await upsertCheck(github, at, body, { mayExist: true });
    expect(again.id).toBe(first.id);
    expect(fake.checks).toHaveLength(1);
  });
});

describe('the pull requests of a run', () => {
  const search = { repository, authors: async () => ['runlink[bot]'] };
  const run = (urls: string[]): Report['run'] => ({
    run_id: 'r-1',
    state: 'SUCCEEDED',
    artifacts: urls.map((url) => ({ artifact_type: 'PULL_REQUEST', data: { url } })),
  });

  it('are its artifacts, verified and spelled in one way', async () => {
    const { github, fake } = await start();
    fake.addPull({ number: 12, title: 'Fix' });
    const base = `${fake.url}/acme/widgets/pull`;
    const found = await findPullRequests(
      github,
      run([`${base}/12/files#x`, `${base}/12`, `${base}/99`]),
      search,
    );
    expect(found).toEqual([
      { url: `${base}/12`, number: 12, repository: 'acme/widgets', title: 'Fix', state: 'open' },
    ]);
  });

  it('are those of our author that carry the run’s id, never one that only mentions it', async () => {
    const { github, fake } = await start();
    fake.addPull({ number: 1, user: { login: 'eve' }, body: 'r-1' });
    fake.addPull({ number: 2, user: { login: 'runlink[bot]' }, body: 'something else' });
    fake.addPull({
      number: 3,
      user: { login: 'runlink[bot]' },
      head: { ref: 'runlink/r-1', sha: 'a', repo: null },
    });
    const found = await findPullRequests(github, run([]), search);
    expect(found.map(({ number }) => number)).toEqual([3]);
  });

  it('stay, as unknown, when GitHub does not say', async () => {
    const { github, fake } = await start();
    fake.faults.push({ matches: () => true, fault: { kind: 'status', status: 500 }, times: 1 });
    const url = `${fake.url}/acme/widgets/pull/12`;
    expect(await findPullRequests(github, run([url]), search)).toMatchObject([
      { url, state: 'unknown' },
    ]);
    expect(await findPullRequests(undefined, run([url]), search)).toMatchObject([
      { url, state: 'unknown' },
    ]);
  });
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

  it('that GitHub refuses says what to do', async () => {
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
