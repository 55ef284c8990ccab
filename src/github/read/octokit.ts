import type { Octokit } from '@octokit/core';
import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';

/** All that is needed of any Octokit: typed requests by route. */
export type Github = Pick<Octokit, 'request'>;

/**
 * Base URL of GraphQL. GitHub Enterprise Server has it beside its REST API, which is under /api/v3.
 */
export function graphqlBase(github: Github): string {
  return github.request.endpoint.DEFAULTS.baseUrl.replace(/\/api\/v3\/?$/, '/api');
}

const refused = z.object({
  errors: z.array(z.object({ type: z.string().nullish(), message: z.string().default('') })),
});

/** The types of GraphQL's rate limit errors; limits on speed show in the message alone. */
const LIMIT_TYPE = /^RATE_LIMIT(?:ED)?$/;
const LIMIT_WORDS =
  /secondary rate limit|rate limit (?:already )?exceeded|was submitted too quickly|abuse detection/i;
/** The types of errors for a missing permission. */
const REFUSED_TYPE = /^(?:FORBIDDEN|INSUFFICIENT_SCOPES)$/;

/**
 * GraphQL reports a rate limit in a successful response. Throws it as REST would (github.md,
 * "Limits").
 */
export function throwLimit({ data, headers }: { data: unknown; headers: object }): void {
  const { errors = [] } = refused.safeParse(data).data ?? {};
  const limit = errors.find(
    ({ type, message }) => LIMIT_TYPE.test(type ?? '') || LIMIT_WORDS.test(message),
  );
  if (!limit) return;
  // `readGithubFailure` recognises a limit by these words.
  const message = `GraphQL rate limit: ${limit.message}`;
  throw Object.assign(new Error(message), { status: 403, response: { headers } });
}

/**
 * Throws the first error of a GraphQL response. A refusal gets REST's status, so that a missing
 * permission is recognised.
 */
export function throwRefusal(data: unknown): void {
  const [error] = refused.safeParse(data).data?.errors ?? [];
  if (!error) return;
  const status = REFUSED_TYPE.test(error.type ?? '') ? { status: 403 } : {};
  throw Object.assign(new RunlinkError('github_unreadable', error.message), status);
}

/** Sends a GraphQL query. Throws for limits; other errors are in the returned response. */
export async function graphql(
  github: Github,
  query: string,
  variables: Record<string, unknown>,
): Promise<unknown> {
  const baseUrl = graphqlBase(github);
  const answer = await github.request('POST /graphql', { baseUrl, query, variables });
  throwLimit(answer);
  return answer.data;
}

/** HTTP status of an error that Octokit threw; undefined for any other error. */
export function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('status' in thrown)) return undefined;
  return typeof thrown.status === 'number' ? thrown.status : undefined;
}

/**
 * Sends a request by a route that is not typed, such as one chosen at run time. The caller must
 * parse the response.
 */
export async function ask(
  github: Github,
  route: string,
  parameters: Record<string, unknown>,
): Promise<unknown> {
  const answer: { data: unknown } = await github.request(route, parameters);
  return answer.data;
}

const PAGE = 100;
/** More pages than any list of ours has; guards against a list that never ends. */
const PAGES_MAX = 100;

/** All items of a list, from all its pages. */
export async function listAll(
  github: Github,
  route: string,
  parameters: Record<string, unknown>,
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const listed = await ask(github, route, { ...parameters, per_page: PAGE, page });
    // A response that was cut off looks like a success without content.
    if (!Array.isArray(listed)) throw new RunlinkError('github_unreadable', 'It is no list.');
    all.push(...(listed as unknown[]));
    if (listed.length < PAGE) break;
  }
  return all;
}

/** The two parts of `owner/name` that routes take. */
export function splitRepository(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}
