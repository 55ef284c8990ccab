import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import { graphql, throwRefusal, type Github } from './octokit.ts';

const QUERY = `query ($owner: String!, $name: String!, $number: Int!, $comments: Int!, $after: String) {
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
          comments(first: $comments) { totalCount nodes { id url body author { kind: __typename login } } }
        }
      }
    }
  }
}`;

/** A wall against an endless answer. */
const PAGES_MAX = 20;

/** GraphQL leaves out what REST and people write behind a bot's name: a person may have the same one without it. */
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
    comments: z.object({ totalCount: z.int().optional(), nodes: z.array(comment) }),
  })
  .transform(({ comments: { nodes, totalCount = 0 }, ...rest }) => ({
    ...rest,
    comments: nodes,
    /** Newer ones that are not among them. */
    commentsLeftOut: Math.max(0, totalCount - nodes.length),
  }));
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
 * The open review threads of a pull request with the first `comments` of each; only GraphQL says which are
 * resolved. Throws `github_unreadable`, with what it says, where GitHub does not tell of them.
 */
export async function openThreads(
  github: Github,
  place: { owner: string; name: string; number: number; comments: number },
): Promise<ReviewThread[]> {
  const open: ReviewThread[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { owner, name, number, comments } = place;
    const variables = { owner, name, number, comments, ...(after !== undefined && { after }) };
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
