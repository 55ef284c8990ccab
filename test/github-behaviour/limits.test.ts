import { Octokit } from '@octokit/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { graphql } from '../../src/github/read/octokit.ts';
import { createGithub } from '../../src/action/github-client.ts';
import { failureReason, isFinal } from '../../src/commands/failure.ts';
import { readOutage } from '../../src/commands/failure.ts';
import { GithubUnreachable, readGithubFailure } from '../../src/github/read/github-failure.ts';
import { commentEvent, onPullRequest, startWorld } from '../support/action-world.ts';
import { startFakeGithub } from '../support/fake-github.ts';
import type { Fault, Seen } from '../support/fake-http.ts';
import { end, leftFile } from '../support/fake-service.ts';
import { skipWaits } from '../support/skip-waits.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes.';
const QUICK = 'was submitted too quickly';
const DENIED = 'Resource not accessible by integration';

/** How GraphQL says that a limit is reached, with HTTP 200. */
const LIMITS = {
  documented: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }],
  seen: [{ type: 'RATE_LIMIT', code: 'graphql_rate_limit', message: 'Already over it.' }],
  inWords: [{ type: 'NOT_FOUND', message: 'No such node' }, { message: SECONDARY }],
};

/** What Octokit throws for an answer. */
function thrown(status: number, message: string, headers: Record<string, string> = {}) {
  return Object.assign(new Error(message), {
    status,
    request: { url: 'https://api.github.com/repos/acme/widgets/issues/1/comments' },
    response: { headers },
  });
}

describe('what GitHub refuses', () => {
  const reset = String(NOW / 1000 + 90);
  it.each([
    ['403 with retry-after', thrown(403, 'x', { 'retry-after': '60' }), 60_000],
    ['429 with retry-after', thrown(429, 'x', { 'retry-after': '7' }), 7000],
    ['a secondary limit by its words alone', thrown(403, SECONDARY), 60_000],
    [
      'the abuse limit of an older Enterprise Server',
      thrown(403, 'You have triggered an abuse detection mechanism.'),
      60_000,
    ],
    [
      'content that comes too fast',
      thrown(422, `Validation Failed: {"code":"custom","message":"${QUICK}"}`),
      60_000,
    ],
    [
      'an empty hour, until its reset',
      thrown(403, 'x', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }),
      90_000,
    ],
  ])('for a while: %s (docs: using-the-rest-api/rate-limits)', (_, error, waitMs) => {
    expect(readGithubFailure(error, NOW)).toEqual({ kind: 'limit', waitMs });
    expect(readOutage(error, NOW)).toEqual({ reason: 'github_unreachable', waitMs });
  });

  it.each([
    thrown(403, DENIED),
    thrown(403, DENIED, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }),
    thrown(403, 'Resource not accessible by personal access token'),
    thrown(403, 'resource not accessible by fine-grained personal access token'),
    thrown(403, 'Must have push access to view repository collaborators.'),
    thrown(403, 'Must have admin rights to Repository.'),
    thrown(403, 'GitHub Actions is not permitted to create or approve pull requests.'),
    thrown(403, 'Your token has not been granted the required scopes to execute this query.'),
    thrown(403, 'Resource protected by organization SAML enforcement. You must grant your token.'),
    thrown(403, '`acme` forbids access via a personal access token (classic).'),
    thrown(
      403,
      'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
    ),
    thrown(403, 'You must authenticate via a GitHub App.'),
    new GithubUnreachable('GitHub was asked about alice', thrown(403, DENIED)),
  ])(
    'for want of a permission is no outage and told at once (docs: rest/troubleshooting)',
    (error) => {
      expect(readOutage(error, NOW)).toBeUndefined();
      expect(isFinal(error)).toBe(true);
      expect(failureReason(error)).toBe('permission_missing');
    },
  );

  it.each([
    ['RATE_LIMITED (docs: graphql/overview/rate-limits)', LIMITS.documented],
    ['RATE_LIMIT (yanyongyu/githubkit#271)', LIMITS.seen],
    ['words, after others (docs: graphql/overview/rate-limits)', LIMITS.inWords],
    [
      'content that comes too fast (cli/cli, gh issue close)',
      [{ type: 'UNPROCESSABLE', message: QUICK }],
    ],
  ])(
    'by GraphQL, as a success with an error in it, is a limit all the same: %s',
    async (_, errors) => {
      const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
      const fetch = async (): Promise<Response> => Response.json({ errors }, { headers });
      const asked = graphql(new Octokit({ request: { fetch } }), 'query { viewer { login } }', {});
      const error: unknown = await asked.catch((thrownBy: unknown) => thrownBy);
      expect(readGithubFailure(error, NOW)).toEqual({ kind: 'limit', waitMs: 90_000 });
    },
  );

  it('names the permissions that would do (docs: rest/authentication/permissions)', () => {
    const error = thrown(403, DENIED, { 'x-accepted-github-permissions': 'issues=write' });
    expect(readGithubFailure(error, NOW)).toMatchObject({
      detail: expect.stringContaining('issues=write'),
    });
  });
});

async function client() {
  const github = await startFakeGithub();
  onTestFinished(() => github.close());
  const create = createGithub({ token: 'gh-token', apiUrl: github.url });
  const comment = (): Promise<unknown> =>
    create.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      owner: 'acme',
      repo: 'widgets',
      issue_number: 1,
      body: 'Waiting to start',
    });
  return { github, comment, quota: create.quota, octokit: create };
}

const anything = (): boolean => true;
const refused = (headers: Record<string, string>, message = SECONDARY): Fault => ({
  kind: 'status',
  status: 403,
  headers,
  message,
});

describe('the Action at a limit', () => {
  it('waits the minute that GitHub names and then writes (docs: using-the-rest-api/rate-limits)', async () => {
    const { github, comment, quota } = await client();
    const waits = skipWaits();
    const fault = refused({ 'retry-after': '60' });
    github.faults.push({ matches: anything, fault, times: 1 });
    await comment();
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(59_000);
    expect(github.comments).toHaveLength(1);
    expect(String(quota)).toContain('Sent 2 requests to GitHub.');
  });

  it('that GraphQL tells as a success waits as well (yanyongyu/githubkit#271)', async () => {
    const { github, octokit, quota } = await client();
    const waits = skipWaits();
    for (const errors of Object.values(LIMITS)) {
      const headers = { 'retry-after': '60' };
      const fault = { kind: 'status', status: 200, headers, body: { errors } } as const;
      github.faults.push({ matches: ({ path }) => path === '/graphql', fault, times: 1 });
      expect(await graphql(octokit, 'query { viewer { login } }', {})).toMatchObject({
        data: { viewer: { login: 'github-actions[bot]' } },
      });
    }
    // Once in the quota, and once where it is asked for the answer.
    expect(waits.filter((ms) => ms < 59_000)).toEqual([]);
    expect(String(quota)).toContain('Sent 6 requests to GitHub.');
  });

  it('sends nothing more while the hour is used up (docs: actions/reference/limits)', async () => {
    const { github, comment, quota } = await client();
    const fault = refused({
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.round(Date.now() / 1000) + 1800),
    });
    github.faults.push({ matches: anything, fault, times: 1 });
    await expect(comment()).rejects.toThrow('secondary rate limit');
    await expect(comment()).rejects.toThrow('secondary rate limit');
    expect(github.seen).toHaveLength(1);
    expect(String(quota)).toContain('Sent 1 requests to GitHub.');
  });

  it('in its main step has its post step bring the comment to the truth (docs: using-the-rest-api/rate-limits)', async () => {
    const { github, service, run, close } = await startWorld();
    onTestFinished(close);
    const isWrite = ({ method }: Seen): boolean => method !== 'GET';
    service.play = (started, self) => {
      const headers = { 'retry-after': '1800' };
      github.faults.push({ matches: isWrite, fault: refused(headers), times: Infinity });
      end(self, started, 'SUCCEEDED');
    };
    const event = commentEvent('/agent fix it');
    const main = await run(event);
    expect(main.outputs).toMatchObject({ state: 'SUCCEEDED' });
    expect(main.exitCode).toBe(0);
    expect(main.stdout).toContain('limit');
    expect(main.stdout).not.toContain('issues: write');
    expect(main.stdout).toMatch(/Sent \d+ requests to GitHub\./);
    github.faults.length = 0;
    const post = await run(event, { entry: 'post', state: main.state });
    expect(post.exitCode).toBe(0);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('✅ Done');
  });
});

/** A review that somebody asks the Action for, with this answer to one of its calls of GitHub. */
async function reviewWith(fault: Fault | undefined, failing = -1) {
  const { github, service, run, close } = await startWorld();
  onTestFinished(close);
  github.diff = [{ filename: 'a.js', patch: '@@ -6,2 +6,3 @@\n a\n+b\n c' }];
  github.addPull({ number: 12, user: { login: 'alice' } });
  service.play = (one) => {
    const left = { summary: 'So so.', comments: [{ path: 'a.js', line: 7, text: 'Why?' }] };
    const artifacts = [leftFile(service, 'review.json', JSON.stringify(left))];
    end(service, one, 'SUCCEEDED', { artifacts });
  };
  let calls = 0;
  const matches = (): boolean => (calls += 1) === failing;
  github.faults.push({ matches, fault: fault ?? { kind: 'hang' }, times: 1 });
  const step = await run(commentEvent('/agent review', { issue: onPullRequest(github) }));
  return {
    calls,
    left: {
      reason: step.outputs['reason-code'],
      warnings: step.stdout.match(/::warning.*/g),
      runs: service.runs.length,
      comments: github.comments.map(({ body }) => body.includes('`SUCCEEDED`')),
      reviews: github.reviews.length,
      onLines: github.lineThreads.length,
      checks: github.checks.map((check) => check['conclusion']),
    },
  };
}

describe('a limit at any one call of a review', () => {
  const soon = { 'retry-after': '1' };
  it.each<[string, Fault]>([
    ['403', { kind: 'status', status: 403, headers: soon, message: SECONDARY }],
    ['422', { kind: 'status', status: 422, headers: soon, message: QUICK }],
  ])(
    'with %s costs the Action time and nothing else (docs: using-the-rest-api/rate-limits)',
    async (_, fault) => {
      const { calls, left } = await reviewWith(undefined);
      expect(left).toEqual({
        reason: 'succeeded',
        warnings: null,
        runs: 1,
        comments: [true],
        reviews: 1,
        onLines: 1,
        checks: ['success'],
      });
      const all = await Promise.all(
        Array.from({ length: calls }, (_it, at) => reviewWith(fault, at + 1)),
      );
      for (const one of all) expect(one.left).toEqual(left);
    },
  );
});
