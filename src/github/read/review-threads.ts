import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import type { GithubEvent, Thread } from './event.ts';
import { graphql, type Github } from './octokit.ts';

export interface ReviewThread {
  path: string;
  line: number | undefined;
  comments: { author: string; body: string }[];
}

const QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          isResolved
          path
          line
          comments(first: 50) { nodes { author { kind: __typename login } body } }
        }
      }
    }
  }
}`;

/** A wall against an endless answer. */
const PAGES_MAX = 20;
/** Open threads that are shown, the newest of them. */
const THREADS_MAX = 50;

/** GraphQL leaves out what REST and people write behind a bot's name. */
const login = z
  .object({ kind: z.string().default('User'), login: z.string() })
  .nullish()
  .transform((author) => {
    if (!author) return 'ghost';
    const isBare = author.kind === 'Bot' && !author.login.endsWith('[bot]');
    return isBare ? `${author.login}[bot]` : author.login;
  });

const thread = z.object({
  isResolved: z.boolean(),
  path: z.string(),
  line: z
    .int()
    .nullish()
    .transform((value) => value ?? undefined),
  comments: z
    .object({ nodes: z.array(z.object({ author: login, body: z.string() })) })
    .transform(({ nodes }) => nodes),
});

const answer = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          pageInfo: z
            .object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() })
            .optional(),
          nodes: z.array(thread),
        }),
      }),
    }),
  }),
});

/** The open review threads of a pull request; only GraphQL says which are resolved. */
export async function reviewThreads(
  github: Github,
  event: GithubEvent,
  { number }: Pick<Thread, 'number'>,
): Promise<ReviewThread[]> {
  const open: z.output<typeof thread>[] = [];
  const { owner, name } = event.repository;
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const variables = { owner, name, number, ...(after !== undefined && { after }) };
    const read = answer.safeParse(await graphql(github, QUERY, variables));
    if (!read.success) throw new RunlinkError('github_unreadable', 'GitHub does not tell of them');
    const { nodes, pageInfo } = read.data.data.repository.pullRequest.reviewThreads;
    open.push(...nodes.filter(({ isResolved }) => !isResolved));
    after = pageInfo?.endCursor ?? undefined;
    if (pageInfo?.hasNextPage !== true || after === undefined) break;
  }
  return open.slice(-THREADS_MAX);
}
