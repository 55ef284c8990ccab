import type { Octokit } from '@octokit/core';
import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';

/** The one thing we need of any Octokit: typed requests by route. */
export type Github = Pick<Octokit, 'request'>;

/** Where GraphQL is: GitHub Enterprise Server has its REST API under /api/v3 and GraphQL beside it. */
export function graphqlBase(github: Github): string {
  return github.request.endpoint.DEFAULTS.baseUrl.replace(/\/api\/v3\/?$/, '/api');
}

const refused = z.object({
  errors: z.array(z.object({ type: z.string().nullish(), message: z.string().default('') })),
});

/** How GraphQL names its limits; those for calls that come too fast it names by words alone. */
const LIMIT_TYPE = /^RATE_LIMIT(?:ED)?$/;
const LIMIT_WORDS =
  /secondary rate limit|rate limit (?:already )?exceeded|was submitted too quickly|abuse detection/i;
/** How it says that an App or token may not. */
const REFUSED_TYPE = /^(?:FORBIDDEN|INSUFFICIENT_SCOPES)$/;

/** GraphQL answers a limit as a success with an error in it: that is thrown as what it is by REST (github.md, "Limits"). */
export function throwLimit({ data, headers }: { data: unknown; headers: object }): void {
  const { errors = [] } = refused.safeParse(data).data ?? {};
  const limit = errors.find(
    ({ type, message }) => LIMIT_TYPE.test(type ?? '') || LIMIT_WORDS.test(message),
  );
  if (!limit) return;
  // Without words that say so it would be no limit to whoever reads it.
  const message = `GraphQL rate limit: ${limit.message}`;
  throw Object.assign(new Error(message), { status: 403, response: { headers } });
}

/**
 * What GraphQL says where it does not answer what was asked; a refusal is thrown as what it is by REST, so that a
 * missing permission is known for one.
 */
export function throwRefusal(data: unknown): void {
  const [error] = refused.safeParse(data).data?.errors ?? [];
  if (!error) return;
  const status = REFUSED_TYPE.test(error.type ?? '') ? { status: 403 } : {};
  throw Object.assign(new RunlinkError('github_unreadable', error.message), status);
}

/** Asks by GraphQL. Errors that are no limit come with the answer. */
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

const PAGE = 100;
/** More pages than any list of ours has; a wall against an endless answer. */
const PAGES_MAX = 100;

/** All that a route lists, on all of its pages. */
export async function listAll(
  github: Github,
  route: string,
  parameters: Record<string, unknown>,
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const listed = await ask(github, route, { ...parameters, per_page: PAGE, page });
    // An answer that broke off on its way looks like success without content.
    if (!Array.isArray(listed)) throw new RunlinkError('github_unreadable', 'It is no list.');
    all.push(...(listed as unknown[]));
    if (listed.length < PAGE) break;
  }
  return all;
}

/** `owner/name` in the two parts that routes take. */
export function splitRepository(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}
