import { Octokit } from '@octokit/rest';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/demo/faults.ts';
import { startStandIn } from '../support/standin.ts';

const repo = { owner: 'acme', repo: 'widgets', issue_number: 1 };
const COMMENTS = /^POST .*\/issues\/1\/comments$/;

describe('a stand-in that fails', () => {
  it.each<[string, Fault, object]>([
    ['is down', { kind: 'down' }, { status: 500 }],
    ['answers with an error', { kind: 'error', status: 502 }, { status: 502 }],
    [
      'limits writes',
      { kind: 'secondary-limit', retryAfterSeconds: 7 },
      { status: 403, response: { headers: { 'retry-after': '7' } } },
    ],
  ])('%s as told, once, and then works', async (_, fault, error) => {
    const github = await startStandIn();
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const octokit = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token, log });
    github.faults.arm(fault, COMMENTS, 1);
    await expect(octokit.issues.createComment({ ...repo, body: 'a' })).rejects.toMatchObject(error);
    expect((await octokit.issues.createComment({ ...repo, body: 'b' })).status).toBe(201);
    const { data } = await octokit.issues.listComments(repo);
    expect(data.map(({ body }) => body)).toEqual(['b']);
  });

  it.each<[string, Fault, unknown]>([
    // Octokit takes half a body for an empty one.
    ['half an answer', { kind: 'half' }, ''],
    ['garbage', { kind: 'garbage' }, '<html>not what you asked for</html>'],
  ])('gives %s as told', async (_, fault, data) => {
    const github = await startStandIn();
    const octokit = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token });
    github.faults.arm(fault, COMMENTS, 1);
    expect(await octokit.issues.createComment({ ...repo, body: 'a' })).toMatchObject({ data });
  });

  it('carries a request out whose answer it loses', async () => {
    const github = await startStandIn();
    const octokit = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token });
    github.faults.arm({ kind: 'lost' }, COMMENTS, 1);
    await expect(octokit.issues.createComment({ ...repo, body: 'a' })).rejects.toMatchObject({
      status: 500,
    });
    const { data } = await octokit.issues.listComments(repo);
    expect(data.map(({ body }) => body)).toEqual(['a']);
  });
});
