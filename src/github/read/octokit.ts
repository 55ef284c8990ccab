import type { Octokit } from '@octokit/core';

/** The one thing we need of any Octokit: typed requests by route. */
export type Github = Pick<Octokit, 'request'>;

/** Where GraphQL is: GitHub Enterprise Server has its REST API under /api/v3 and GraphQL beside it. */
export function graphqlBase(github: Github): string {
  return github.request.endpoint.DEFAULTS.baseUrl.replace(/\/api\/v3\/?$/, '/api');
}

/** HTTP status of what Octokit threw; undefined when it was nothing of Octokit's. */
export function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('status' in thrown)) return undefined;
  return typeof thrown.status === 'number' ? thrown.status : undefined;
}
