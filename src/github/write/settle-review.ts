import { RunlinkError } from '../../base/error.ts';
import { sameName } from '../read/event.ts';
import { readGithubFailure } from '../read/github-failure.ts';
import { graphql as askGraphql, statusOf, splitRepository, type Github } from '../read/octokit.ts';
import { openThreads, type ReviewThread } from '../read/review-threads.ts';
import { lineComment, readFindingMarker, type RenderedFinding } from '../render/review.ts';

/** A finding of ours whose review thread on the pull request is open. */
export interface Earlier {
  thread: string;
  comment: string;
  url: string;
  path: string;
  /** Its current line; undefined if its lines are no longer in the diff. */
  line: number | undefined;
  body: string;
  /** The review file that it comes from, and its number there. */
  artifact: string;
  number: number;
}

const RESOLVE = `mutation ($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { id } }
}`;
const MINIMIZE = `mutation ($id: ID!, $why: ReportedContentClassifiers!) {
  minimizeComment(input: { subjectId: $id, classifier: $why }) { minimizedComment { isMinimized } }
}`;
const UPDATE = `mutation ($id: ID!, $body: String!) {
  updatePullRequestReviewComment(input: { pullRequestReviewCommentId: $id, body: $body }) { pullRequestReviewComment { id } }
}`;

/** Each change is a write; findings beyond this stay open. */
const CHANGES_MAX = 40;

/** Our open findings on a pull request; none if GitHub refuses to list them. */
export async function earlierFindings(
  github: Github,
  { repository, number }: { repository: string; number: number },
  login: string,
): Promise<Earlier[]> {
  const { owner, repo: name } = splitRepository(repository);
  try {
    const open = await openThreads(github, { owner, name, number, newest: 1 });
    return open.flatMap((thread) => toEarlier(thread, login));
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

function toEarlier({ id: thread, path, ...node }: ReviewThread, login: string): Earlier[] {
  const [first] = node.comments;
  const mark = readFindingMarker(first?.body ?? '');
  if (!first || !mark || !sameName(first.author, login)) return [];
  const { id, url, body } = first;
  const line = node.isOutdated ? undefined : node.line;
  return [{ thread, comment: id, url, path, line, body, ...mark }];
}

/**
 * Brings earlier reviews in line with a new one. Findings that it repeats get their new number and
 * text. Findings that are settled are resolved, or minimised if we may not resolve them; the text
 * of the previous review is minimised. Settled are the findings that the new review lists as such,
 * and those that it does not repeat although their lines changed. Failures are ignored, except
 * limits, after which it is tried again.
 */
export async function settleEarlier(
  github: Github,
  review: {
    settled: readonly number[];
    /** Version of the newest earlier review's file. */
    last: string | undefined;
    earlier: readonly Earlier[];
    before: readonly { node_id: string }[];
    kept: readonly { finding: RenderedFinding; earlier: Earlier }[];
  },
): Promise<void> {
  const { settled, last, earlier, before, kept } = review;
  const isKept = (one: Earlier): boolean => kept.some((pair) => pair.earlier === one);
  const isSettled = (one: Earlier): boolean =>
    one.line === undefined || (one.artifact === last && settled.includes(one.number));
  const changes = [
    ...kept
      .filter((pair) => lineComment(pair.finding) !== pair.earlier.body)
      .map(
        (pair) => () =>
          graphql(github, UPDATE, { id: pair.earlier.comment, body: lineComment(pair.finding) }),
      ),
    ...earlier
      .filter((one) => !isKept(one) && isSettled(one))
      .map((one) => async () => {
        const answer = await graphql(github, RESOLVE, { id: one.thread });
        if (hasErrors(answer))
          await graphql(github, MINIMIZE, { id: one.comment, why: 'RESOLVED' });
      }),
    ...before
      .filter(({ node_id: id }) => id !== '')
      .slice(-1)
      .map(
        ({ node_id: id }) =>
          () =>
            graphql(github, MINIMIZE, { id, why: 'OUTDATED' }),
      ),
  ];
  for (const change of changes.slice(0, CHANGES_MAX)) await change();
}

function hasErrors(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'errors' in answer;
}

/**
 * Like GraphQL's own refusals, which come in a successful response, returns any other permanent
 * failure as errors.
 */
async function graphql(
  github: Github,
  query: string,
  variables: Record<string, unknown>,
): Promise<unknown> {
  try {
    return await askGraphql(github, query, variables);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { errors: [String(error)] };
  }
}

function isRefusal(error: unknown): boolean {
  const isUnreadable = error instanceof RunlinkError && error.code === 'github_unreadable';
  return (
    isUnreadable || statusOf(error) === 401 || 'detail' in readGithubFailure(error, Date.now())
  );
}
