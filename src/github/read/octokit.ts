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

/** Asks what no typed route names, such as one of several like places; the answer is to be parsed. */
export async function ask(
  github: Github,
  route: string,
  parameters: Record<string, unknown>,
): Promise<unknown> {
  const answer: { data: unknown } = await github.request(route, parameters);
  return answer.data;
}

/** `owner/name` in the two parts that routes take. */
export function splitRepository(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}
