import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { expect, it, vi } from 'vitest';
import { FIRST_COMMAND, FOLLOW_UP } from '../../src/cli/start/story.ts';
import type { GithubStandIn } from '../../src/demo/standin.ts';
import { soon } from '../support/app-world.ts';
import { useTestDatabase } from '../support/database.ts';
import { runStep, type StepResult } from '../support/run-dist.ts';
import { visitorOf } from '../support/page-visitor.ts';
import { listenForEvents, pushFile } from '../support/standin.ts';
import { startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const TEST_WITHIN_MS = LONG ? 400_000 : 120_000;

/** The token a workflow's job would get. */
async function jobToken(github: GithubStandIn): Promise<string> {
  const { id: appId, privateKey, installationId } = github.app;
  const { request } = new Octokit({ baseUrl: github.apiUrl });
  const auth = createAppAuth({ appId, privateKey, installationId, request });
  return (await auth({ type: 'installation' })).token;
}

it(
  'leads from a comment to a pull request that closes its issue, and back, by the Action alone',
  async () => {
    const { url: databaseUrl } = await useTestDatabase();
    const world = await startStoryWorld({ app: false, databaseUrl });
    const { github, client } = world;
    const { owner, name: repo, issueNumber } = github.repository;
    const { events } = await listenForEvents(github);
    const person = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token });
    const token = await jobToken(github);
    /** Comments as a person, then runs the workflow that the comment triggers. */
    const comment = async (issue_number: number, body: string): Promise<StepResult> => {
      await person.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        owner,
        repo,
        issue_number,
        body,
      });
      const event = await vi.waitFor(() => {
        const found = events.find(({ payload }) => payload.comment?.body === body);
        if (!found) throw new Error('The comment has not been heard of.');
        return found;
      }, 30_000);
      return runStep({
        eventName: 'issue_comment',
        payload: event.payload,
        inputs: {
          'base-url': world.apiBaseUrl,
          'api-key': world.ownerKey,
          'github-token': token,
          'closes-issue': 'true',
        },
        env: {
          GITHUB_API_URL: github.apiUrl,
          GITHUB_SERVER_URL: github.url,
          GITHUB_REPOSITORY: `${owner}/${repo}`,
        },
      });
    };

    const first = await comment(issueNumber, FIRST_COMMAND);
    expect(first).toMatchObject({
      exitCode: 0,
      outputs: { state: 'SUCCEEDED', conclusion: 'success' },
    });
    const runId = first.outputs['run-id'] ?? '';
    const url = first.outputs['pull-request-url'] ?? '';
    expect(first.summary).toContain(url);
    expect(await client.runs.byExternalReference({ url })).toEqual({ run_id: runId });

    const pull_number = Number(url.split('/').at(-1));
    const pull = { owner, repo, pull_number };
    // By the App it is followed up each time (start.test.ts).
    const second = LONG ? await comment(pull_number, FOLLOW_UP) : first;
    expect(second).toMatchObject({ exitCode: 0, outputs: { state: 'SUCCEEDED', 'run-id': runId } });
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
    const files = await person.request(route, pull);
    expect(files.data.map(({ filename }) => filename).toSorted()).toEqual([
      ...(LONG ? ['CHANGELOG.md'] : []),
      'src/price.js',
    ]);
    expect(await world.results()).toEqual({ runs: 1, trackingComments: 1, pullRequests: 1 });

    const { data } = await person.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', pull);
    expect(data.body?.match(/fixes #\d+/gi)).toEqual([`Fixes #${issueNumber}`]);
    await person.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', pull);
    const { data: issue } = await person.request(
      'GET /repos/{owner}/{repo}/issues/{issue_number}',
      {
        owner,
        repo,
        issue_number: issueNumber,
      },
    );
    expect(issue.state).toBe('closed');

    if (LONG) await fixFromPage(world, person, comment);
  },
  TEST_WITHIN_MS,
);

/**
 * A run on a person's pull request, and one that a page starts there, as "Fix this" below a finding
 * does.
 */
async function fixFromPage(
  world: StoryWorld,
  person: Octokit,
  comment: (issue: number, body: string) => Promise<StepResult>,
): Promise<void> {
  const { github, client } = world;
  const { owner, name: repo } = github.repository;
  const branch = { branch: 'feature', token: github.maintainer.token };
  const before = await pushFile(github, { ...branch, file: 'notes.md', content: 'Notes' });
  const route = 'POST /repos/{owner}/{repo}/pulls';
  const { data: theirs } = await person.request(route, {
    owner,
    repo,
    head: branch.branch,
    base: 'main',
    title: 'Notes',
  });
  const asked = await comment(theirs.number, '/agent look at this');
  expect(asked).toMatchObject({ exitCode: 0, outputs: { state: 'SUCCEEDED' } });
  const between = await pushFile(github, { ...branch, file: 'more.md', content: 'More' });
  const visitor = visitorOf(world.apiBaseUrl, fetch);
  await visitor.post('/login', { key: world.ownerKey });
  const on = asked.outputs['run-id'] ?? '';
  const { metadata, agent_config: config } = await client.runs.get(on);
  expect(metadata).toMatchObject({ 'runlink.sha': before, 'runlink.head_ref': branch.branch });
  const page = `/new?prompt=Mend&on=${on}`;
  expect(await (await visitor.get(page)).text()).toMatch(/name="on"[^>]*checked/);
  const environment = config?.environment_id ?? '';
  const fields = { prompt: 'Also add a changelog line', on, environment };
  const started = await visitor.submit(page, '/new', fields);
  const made = started.headers.get('location')?.replace('/runs/', '') ?? '';
  const run = await vi.waitFor(async () => {
    const one = await client.runs.get(made);
    expect(one.state).toBe('SUCCEEDED');
    return one;
  }, soon);
  expect(run.metadata).toMatchObject({ 'runlink.sha': before });
  const { data: commits } = await person.request('GET /repos/{owner}/{repo}/commits', {
    owner,
    repo,
    sha: branch.branch,
  });
  const messages = commits.slice(0, 3).map(({ commit }) => commit.message.split('\n')[0]);
  expect(messages).toEqual(['Add a changelog line', 'Change more.md', 'Change notes.md']);
  expect(commits[1]?.sha).toBe(between);
  expect((await world.results()).pullRequests).toBe(2);
}
