import { z } from 'zod';
import type { GithubEvent, Thread } from './event.ts';
import { graphqlBase, type Github } from './octokit.ts';

export interface ReviewThread {
  path: string;
  line: number | undefined;
  comments: { author: string; body: string }[];
}

const QUERY = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(last: 50) {
        nodes {
          isResolved
          path
          line
          comments(first: 10) { nodes { author { login } body } }
        }
      }
    }
  }
}`;

const answer = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          nodes: z.array(
            z.object({
              isResolved: z.boolean(),
              path: z.string(),
              line: z.int().nullish(),
              comments: z.object({
                nodes: z.array(
                  z.object({
                    author: z.object({ login: z.string() }).nullish(),
                    body: z.string(),
                  }),
                ),
              }),
            }),
          ),
        }),
      }),
    }),
  }),
});

/** The open review threads of a pull request; only GraphQL says which are resolved. */
export async function reviewThreads(
  github: Github,
  event: GithubEvent,
  thread: Thread,
): Promise<ReviewThread[]> {
  const { data } = await github.request('POST /graphql', {
    baseUrl: graphqlBase(github),
    query: QUERY,
    variables: {
      owner: event.repository.owner,
      name: event.repository.name,
      number: thread.number,
    },
  });
  const { nodes } = answer.parse(data).data.repository.pullRequest.reviewThreads;
  return nodes
    .filter((node) => !node.isResolved)
    .map((node) => ({
      path: node.path,
      line: node.line ?? undefined,
      comments: node.comments.nodes.map((comment) => ({
        author: comment.author?.login ?? 'ghost',
        body: comment.body,
      })),
    }));
}
