import { createHmac } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { describe, expect, it, vi } from 'vitest';
import type { GithubStandIn } from '../../src/demo/standin.ts';
import {
  listenForEvents,
  pushFile,
  standInOfFile,
  startStandIn,
  temporaryDirectory,
} from '../support/standin.ts';

const ignore = (): undefined => undefined;
const QUIET = { debug: ignore, info: ignore, warn: ignore, error: ignore };
/** For tests that need no events and no state of their own. */
const shared = await standInOfFile();
const repo = { owner: 'acme', repo: 'widgets' };

const asPerson = (github: GithubStandIn, token = github.maintainer.token): Octokit =>
  new Octokit({ baseUrl: github.apiUrl, auth: token, log: QUIET });

function asApp(github: GithubStandIn, installationId?: number): Octokit {
  const { id: appId, privateKey } = github.app;
  return new Octokit({
    baseUrl: github.apiUrl,
    log: QUIET,
    authStrategy: createAppAuth,
    auth: { appId, privateKey, ...(installationId && { installationId }) },
  });
}

const asInstallation = (github: GithubStandIn): Octokit => asApp(github, github.app.installationId);

const status = (promise: Promise<{ status: number }>): Promise<number> =>
  promise.then(
    (answer) => answer.status,
    (error: { status: number }) => error.status,
  );

describe('the stand-in for GitHub', () => {
  it('tells the App of a comment in a signed delivery with a GUID', async () => {
    const github = await startStandIn();
    const { events } = await listenForEvents(github);
    const body = '/agent fix the failing test';
    await asPerson(github).issues.createComment({ ...repo, issue_number: 1, body });
    await vi.waitFor(() => expect(events).toHaveLength(1), 30_000);
    const [event] = events;
    expect(event).toMatchObject({
      event: 'issue_comment',
      payload: {
        action: 'created',
        comment: { body, user: { login: 'octocat' } },
        issue: { number: 1 },
        repository: { full_name: 'acme/widgets' },
        sender: { login: 'octocat', type: 'User' },
        installation: { id: github.app.installationId },
      },
    });
    expect(event?.body).not.toContain('localhost:');
    expect(event?.guid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const hmac = createHmac('sha256', github.app.webhookSecret).update(event?.body ?? '');
    expect(event?.signature).toBe(`sha256=${hmac.digest('hex')}`);
  });

  it('knows what people may do, in the words of GitHub', async () => {
    const github = shared;
    const ask = (username: string): Promise<string> =>
      asInstallation(github)
        .repos.getCollaboratorPermissionLevel({ ...repo, username })
        .then(({ data }) => data.permission);
    expect(await ask('octocat')).toBe('write');
    expect(await ask('passer-by')).toBe('read');
    await expect(ask('nobody-at-all')).rejects.toMatchObject({ status: 404 });
  });

  it('knows the bot of the App before it ever wrote', async () => {
    const github = await startStandIn();
    const { data } = await asPerson(github).users.getByUsername({ username: github.app.botLogin });
    expect(data).toMatchObject({ login: github.app.botLogin, type: 'Bot' });
  });

  it('refuses credentials that nobody was given', async () => {
    const github = shared;
    expect(
      await status(asPerson(github, 'ghp_made_up').issues.get({ ...repo, issue_number: 1 })),
    ).toBe(401);
  });

  it('takes a reaction once, however often it is given', async () => {
    const github = shared;
    const octokit = asInstallation(github);
    const { data } = await asPerson(github).issues.createComment({
      ...repo,
      issue_number: 1,
      body: 'hi',
    });
    const eyes = { ...repo, comment_id: data.id, content: 'eyes' } as const;
    expect((await octokit.reactions.createForIssueComment(eyes)).status).toBe(201);
    expect((await octokit.reactions.createForIssueComment(eyes)).status).toBe(200);
    const { data: list } = await octokit.reactions.listForIssueComment({
      ...repo,
      comment_id: data.id,
    });
    expect(list.map(({ content, user }) => [content, user?.login])).toEqual([
      ['eyes', github.app.botLogin],
    ]);
  });

  it('refuses bodies that GitHub would refuse', async () => {
    const github = shared;
    const write = (length: number): Promise<number> =>
      status(
        asPerson(github).issues.createComment({
          ...repo,
          issue_number: 1,
          body: 'x'.repeat(length),
        }),
      );
    expect(await write(65_536)).toBe(201);
    expect(await write(65_537)).toBe(422);
  });

  it('says what an edit replaced', async () => {
    const github = await startStandIn();
    const { events } = await listenForEvents(github);
    const octokit = asPerson(github);
    const { data } = await octokit.issues.createComment({
      ...repo,
      issue_number: 1,
      body: 'before',
    });
    await octokit.issues.updateComment({ ...repo, comment_id: data.id, body: 'after' });
    await vi.waitFor(() => expect(events).toHaveLength(2), 30_000);
    expect(events[1]?.payload).toMatchObject({
      action: 'edited',
      changes: { body: { from: 'before' } },
    });
  });
});

describe('branches and checks of the stand-in', () => {
  it('opens one pull request per pushed branch and follows later pushes', async () => {
    const github = await startStandIn();
    const { events } = await listenForEvents(github);
    const octokit = asInstallation(github);
    const auth = (await octokit.auth({ type: 'installation' })) as { token: string };
    const change = { branch: 'runlink/fix', file: 'NOTES.md', token: auth.token };
    const first = await pushFile(github, { ...change, content: 'one\n' });
    const open = { ...repo, head: 'runlink/fix', base: 'main', title: 'Fix it' };
    const { data: pull } = await octokit.pulls.create(open);
    expect(pull).toMatchObject({ head: { sha: first }, user: { login: github.app.botLogin } });
    expect(await status(octokit.pulls.create(open))).toBe(422);
    expect(await status(octokit.pulls.create({ ...open, head: 'no-such-branch' }))).toBe(422);

    const second = await pushFile(github, { ...change, content: 'one\ntwo\n' });
    const { data: moved } = await octokit.pulls.get({ ...repo, pull_number: pull.number });
    expect(moved).toMatchObject({
      head: { sha: second },
      commits: 2,
      changed_files: 1,
      additions: 2,
    });
    await vi.waitFor(
      () =>
        expect(events.map(({ event, payload }) => [event, payload.action])).toEqual(
          expect.arrayContaining([
            ['push', undefined],
            ['pull_request', 'opened'],
            ['pull_request', 'synchronize'],
          ]),
        ),
      30_000,
    );
    const synchronized = events.find(({ payload }) => payload.action === 'synchronize');
    expect(synchronized?.payload).toMatchObject({
      before: first,
      after: second,
      number: pull.number,
    });
    const { data: issue } = await octokit.issues.get({ ...repo, issue_number: pull.number });
    expect(issue.pull_request?.url).toContain(`/pulls/${pull.number}`);
    const { data: holding } = await octokit.repos.listPullRequestsAssociatedWithCommit({
      ...repo,
      commit_sha: first,
    });
    expect(holding.map(({ number }) => number)).toEqual([pull.number]);
  });

  it('lets nobody push who may not write', async () => {
    const github = shared;
    const change = { branch: 'mine', file: 'x', content: 'x', token: github.stranger.token };
    await expect(pushFile(github, change)).rejects.toThrow(/403|denied/);
  });

  it('lets only Apps write checks, and tells them of a pressed button', async () => {
    const github = await startStandIn();
    const { events } = await listenForEvents(github);
    const { data: branch } = await asPerson(github).repos.getBranch({ ...repo, branch: 'main' });
    const check = { ...repo, name: 'Runlink', head_sha: branch.commit.sha };
    expect(await status(asPerson(github).checks.create(check))).toBe(403);
    const actions = [{ label: 'Retry', description: 'Run it again', identifier: 'retry' }];
    const done = { ...check, status: 'completed', conclusion: 'success', actions } as const;
    const { data } = await asInstallation(github).checks.create(done);
    expect(data.app?.slug).toBe(github.app.slug);
    const tooMany = { ...done, actions: [...actions, ...actions, ...actions, ...actions] };
    expect(await status(asInstallation(github).checks.create(tooMany))).toBe(422);
    const press = `POST /repos/acme/widgets/check-runs/${data.id}/buttons/retry`;
    await asPerson(github).request(press);
    await vi.waitFor(
      () =>
        expect(events.at(-1)?.payload).toMatchObject({
          action: 'requested_action',
          requested_action: { identifier: 'retry' },
          sender: { login: 'octocat' },
        }),
      30_000,
    );
  });

  it('lists deliveries that failed and repeats one with the same GUID when asked', async () => {
    const github = await startStandIn();
    const hook = await listenForEvents(github);
    hook.answerWith(503);
    await asPerson(github).issues.createComment({ ...repo, issue_number: 1, body: 'hello' });
    const app = asApp(github);
    const failed = await vi.waitFor(async () => {
      const { data } = await app.apps.listWebhookDeliveries();
      expect(data).toHaveLength(1);
      return data[0];
    }, 30_000);
    // More digits than a number holds, as GitHub's have.
    expect(String(failed?.id)).toMatch(/^\d{19}$/);
    expect(failed).toMatchObject({ status_code: 503, event: 'issue_comment', redelivery: false });
    hook.answerWith(200);
    await app.apps.redeliverWebhookDelivery({ delivery_id: failed?.id ?? 0 });
    await vi.waitFor(() => expect(hook.events).toHaveLength(1), 30_000);
    expect(hook.events[0]?.guid).toBe(failed?.guid);
  });
});

describe('pull requests and files of the stand-in', () => {
  it('answers review comments in their thread', async () => {
    const github = shared;
    const octokit = asPerson(github);
    await pushFile(github, {
      branch: 'topic',
      file: 'a.txt',
      content: 'a\n',
      token: github.maintainer.token,
    });
    const { data: pull } = await octokit.pulls.create({
      ...repo,
      head: 'topic',
      base: 'main',
      title: 'Topic',
    });
    const at = { ...repo, pull_number: pull.number };
    const { data: comment } = await octokit.pulls.createReviewComment({
      ...at,
      body: 'why?',
      commit_id: pull.head.sha,
      path: 'a.txt',
      line: 1,
    });
    const reply = { ...at, comment_id: comment.id, body: 'because' };
    const { data: answer } = await octokit.pulls.createReplyForReviewComment(reply);
    expect(answer).toMatchObject({ in_reply_to_id: comment.id, path: 'a.txt', body: 'because' });
  });

  it('merges into the repository that people clone', async () => {
    const github = shared;
    const octokit = asPerson(github);
    const { token } = github.maintainer;
    await pushFile(github, { branch: 'merged', file: 'b.txt', content: 'b\n', token });
    const { data: pull } = await octokit.pulls.create({
      ...repo,
      head: 'merged',
      base: 'main',
      title: 'Topic',
    });
    const { data: merge } = await octokit.pulls.merge({ ...repo, pull_number: pull.number });
    const { data: file } = await octokit.repos.getContent({ ...repo, path: 'b.txt' });
    expect(file).toMatchObject({ name: 'b.txt' });
    const { data: after } = await octokit.pulls.get({ ...repo, pull_number: pull.number });
    expect(after).toMatchObject({ merged: true, state: 'closed', merge_commit_sha: merge.sha });
    const head = await pushFile(github, { branch: 'next', file: 'c.txt', content: 'c\n', token });
    const { data: commit } = await octokit.git.getCommit({ ...repo, commit_sha: head });
    expect(commit.parents.map(({ sha }) => sha)).toEqual([merge.sha]);
  });

  it('takes files written by the API into git', async () => {
    const github = shared;
    const octokit = asPerson(github);
    const content = Buffer.from('commands: {}\n').toString('base64');
    const file = { ...repo, path: '.github/runlink.yml', message: 'Configure', content };
    await octokit.repos.createOrUpdateFileContents(file);
    const { data } = await octokit.repos.getContent({ ...repo, path: '.github/runlink.yml' });
    expect(data).toMatchObject({ content: expect.stringContaining(content.slice(0, 10)) });
  });
});

describe('an issue that is transferred', () => {
  it('takes its comments along, is told to both repositories, and leads on from its old address', async () => {
    const dataDir = await temporaryDirectory();
    const github = await startStandIn(dataDir);
    const { events } = await listenForEvents(github);
    const stranger = asPerson(github, github.stranger.token);
    const text = { title: 'Odd prices', body: '/agent mend them' };
    const { data: old } = await stranger.issues.create({ ...repo, ...text });
    const about = { ...repo, issue_number: old.number };
    await asInstallation(github).issues.createComment({ ...about, body: 'I look.' });
    await vi.waitFor(() => expect(events).toHaveLength(2), 30_000);
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/transfer';
    await asPerson(github).request(route, { ...about, repository: 'gadgets' });
    await vi.waitFor(() => expect(events).toHaveLength(4), 30_000);
    const [opened, transferred] = ['opened', 'transferred'].map((action) =>
      events.find((one, at) => at > 1 && one.payload.action === action),
    );
    const gadgets = { full_name: 'acme/gadgets' };
    expect(opened?.payload).toMatchObject({
      issue: { ...text, user: { login: github.stranger.login } },
      changes: { old_issue: { number: old.number }, old_repository: { name: 'widgets' } },
      repository: gadgets,
      sender: { login: 'octocat' },
    });
    expect(transferred?.payload).toMatchObject({
      issue: { number: old.number },
      changes: { new_issue: { number: 1 }, new_repository: gadgets },
      repository: { full_name: 'acme/widgets' },
    });
    await github.close();
    const after = await startStandIn(dataDir);
    const octokit = asPerson(after);
    expect((await octokit.issues.get(about)).data.html_url).toContain('/acme/gadgets/issues/1');
    const { data: comments } = await octokit.issues.listComments(about);
    expect(comments).toMatchObject([{ body: 'I look.', user: { type: 'Bot' } }]);
    const heard = await listenForEvents(after);
    const there = { owner: 'acme', repo: 'gadgets', issue_number: 1 };
    await octokit.issues.createComment({ ...there, body: 'on' });
    await vi.waitFor(() =>
      expect(heard.events.at(-1)?.payload['repository']).toMatchObject(gadgets),
    );
  });
});

describe('the stand-in as people meet it', () => {
  it('goes on from where it was after a restart', async () => {
    const dataDir = await temporaryDirectory();
    const before = await startStandIn(dataDir);
    const token = before.maintainer.token;
    const octokit = asInstallation(before);
    const { data: comment } = await octokit.issues.createComment({
      ...repo,
      issue_number: 1,
      body: 'kept',
    });
    await octokit.reactions.createForIssueComment({
      ...repo,
      comment_id: comment.id,
      content: 'rocket',
    });
    const head = await pushFile(before, { branch: 'kept', file: 'k.txt', content: 'k\n', token });
    const { data: pull } = await octokit.pulls.create({
      ...repo,
      head: 'kept',
      base: 'main',
      title: 'Kept',
    });
    const latest = await pushFile(before, {
      branch: 'kept',
      file: 'k.txt',
      content: 'k2\n',
      token,
    });
    const auth = (await octokit.auth({ type: 'installation' })) as { token: string };
    await before.close();

    const after = await startStandIn(dataDir);
    const { events } = await listenForEvents(after);
    expect(after.url).toBe(before.url);
    const again = asPerson(after, auth.token);
    const { data: comments } = await again.issues.listComments({ ...repo, issue_number: 1 });
    expect(comments).toEqual([
      expect.objectContaining({
        id: comment.id,
        node_id: comment.node_id,
        body: 'kept',
        created_at: comment.created_at,
      }),
    ]);
    expect(comments[0]?.reactions?.rocket).toBe(1);
    const { data: kept } = await again.pulls.get({ ...repo, pull_number: pull.number });
    expect(kept).toMatchObject({ html_url: pull.html_url, head: { sha: latest }, commits: 2 });
    expect(head).not.toBe(latest);
    const page = await fetch(pull.html_url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('+k2');
    await asPerson(after, token).issues.createComment({ ...repo, issue_number: 1, body: 'new' });
    await vi.waitFor(() => expect(events.at(-1)?.payload.comment?.body).toBe('new'), 30_000);
  });

  it('shows people what was written, with markup of others inert', async () => {
    const github = shared;
    const body =
      '<!-- marker -->\nLook **here** <sub>low</sub> <script>alert(1)</script> <sub onclick=x> [x](javascript:alert(1))';
    await asPerson(github).issues.createComment({ ...repo, issue_number: 1, body });
    const page = await fetch(github.repository.issueUrl);
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('<strong>here</strong>');
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('javascript:');
    expect(html).not.toContain('marker');
    expect(html).toContain('<sub>low</sub>');
    expect(html).not.toContain('<sub onclick');
  });
});
