import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import { graphql, throwRefusal, type Github } from './octokit.ts';

const QUERY = `query ($owner: String!, $name: String!, $number: Int!, $newest: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          isOutdated
          path
          line
          first: comments(first: 1) { nodes { ...said } }
          comments(last: $newest) { totalCount nodes { ...said } }
        }
      }
    }
  }
}
fragment said on PullRequestReviewComment { id url body author { kind: __typename login } }`;

/** Guards against a list that never ends. */
const PAGES_MAX = 20;

/**
 * GraphQL omits the `[bot]` of a bot's login. It is added, because a person may have the same login
 * without it.
 */
const login = z
  .object({ kind: z.string().default('User'), login: z.string() })
  .nullish()
  .transform((author) => {
    if (!author) return 'ghost';
    const isBare = author.kind === 'Bot' && !author.login.endsWith('[bot]');
    return isBare ? `${author.login}[bot]` : author.login;
  });

const comment = z.object({
  id: z.string().default(''),
  url: z.string().default(''),
  body: z.string(),
  author: login,
});

const thread = z
  .object({
    id: z.string().default(''),
    isResolved: z.boolean(),
    isOutdated: z.boolean().default(false),
    path: z.string(),
    line: z
      .int()
      .nullish()
      .transform((value) => value ?? undefined),
    first: z.object({ nodes: z.array(comment) }).default({ nodes: [] }),
    comments: z.object({ totalCount: z.int().default(0), nodes: z.array(comment) }),
  })
  .transform(({ first, comments: { nodes: newest, totalCount }, ...rest }) => {
    const comments = totalCount > newest.length ? [...first.nodes, ...newest] : newest;
    // The comments between the first and the newest are left out.
    return { ...rest, comments, commentsLeftOut: Math.max(0, totalCount - comments.length) };
  });
export type ReviewThread = z.output<typeof thread>;

const answer = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          pageInfo: z
            .object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() })
            .optional(),
          nodes: z
            .array(thread.nullable())
            .transform((nodes) => nodes.filter((node) => node !== null)),
        }),
      }),
    }),
  }),
});

/**
 * The open review threads of a pull request, each with its first comment and the `newest` ones;
 * only GraphQL says which are resolved. Throws `github_unreadable`, with GitHub's message, if they
 * cannot be read.
 */
export async function openThreads(
  github: Github,
  place: { owner: string; name: string; number: number; newest: number },
): Promise<ReviewThread[]> {
  const open: ReviewThread[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { owner, name, number, newest } = place;
    const variables = { owner, name, number, newest, ...(after !== undefined && { after }) };
    const told = await graphql(github, QUERY, variables);
    const read = answer.safeParse(told);
    if (!read.success) throwRefusal(told);
    if (!read.success) throw new RunlinkError('github_unreadable', 'GitHub does not tell of them');
    const { nodes, pageInfo } = read.data.data.repository.pullRequest.reviewThreads;
    open.push(...nodes.filter(({ isResolved }) => !isResolved));
    after = pageInfo?.endCursor ?? undefined;
    if (pageInfo?.hasNextPage !== true || after === undefined) break;
  }
  return open;
}
