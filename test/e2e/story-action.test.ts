import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { expect, it, vi } from 'vitest';
import { FIRST_COMMAND, FOLLOW_UP } from '../../src/cli/start/story.ts';
import type { GithubStandIn } from '../../src/demo/standin.ts';
import { runStep, type StepResult } from '../support/run-dist.ts';
import { listenForEvents } from '../support/standin.ts';
import { startStoryWorld } from '../support/story-world.ts';

/** The token a workflow's job would get. */
async function jobToken(github: GithubStandIn): Promise<string> {
  const { id: appId, privateKey, installationId } = github.app;
  const { request } = new Octokit({ baseUrl: github.apiUrl });
  const auth = createAppAuth({ appId, privateKey, installationId, request });
  return (await auth({ type: 'installation' })).token;
}

it('leads from a comment to a pull request that closes its issue, and back, by the Action alone', async () => {
  const world = await startStoryWorld({ app: false });
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
    });
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
  const second = await comment(pull_number, FOLLOW_UP);
  expect(second).toMatchObject({ exitCode: 0, outputs: { state: 'SUCCEEDED', 'run-id': runId } });
  const files = await person.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
    owner,
    repo,
    pull_number,
  });
  expect(files.data.map(({ filename }) => filename).toSorted()).toEqual([
    'CHANGELOG.md',
    'src/price.js',
  ]);
  expect(await world.results()).toEqual({ runs: 1, trackingComments: 1, pullRequests: 1 });

  const pull = { owner, repo, pull_number };
  const { data } = await person.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', pull);
  expect(data.body?.match(/fixes #\d+/gi)).toEqual([`Fixes #${issueNumber}`]);
  await person.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', pull);
  const { data: issue } = await person.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
    owner,
    repo,
    issue_number: issueNumber,
  });
  expect(issue.state).toBe('closed');
});
