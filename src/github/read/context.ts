import type { GithubEvent, Head, Place, Thread } from './event.ts';
import { errorMessage } from '../../base/error.ts';
import type { Github } from './octokit.ts';
import { failedJobs, type FailedJob } from './failed-jobs.ts';
import { reviewThreads, type ReviewThread } from './review-threads.ts';

export interface ThreadComment {
  author: string;
  /** What GitHub says the author is to the repository; a hint for the reader, never a gate. */
  association: string;
  body: string;
  createdAt: string;
}

/** What surrounds a request, as GitHub tells it at this moment. */
export interface RequestContext {
  event: GithubEvent;
  head: Head | undefined;
  base: string | undefined;
  thread: Thread | undefined;
  comments: ThreadComment[];
  /** Comments of the thread that are not shown. */
  commentsLeftOut: number;
  place: Place | undefined;
  reviewThreads: ReviewThread[];
  failedJobs: FailedJob[];
  /** What could not be read, in words. */
  missing: string[];
}

const PAGE = 100;
/** Newest comments of a thread that are shown. */
const COMMENTS_MAX = 30;

/**
 * Reads what a request is about: the thread's last comments up to the one that asked, open review
 * threads when a review asked, and the failing jobs' last lines when a check did. Each part that
 * cannot be read is missing, never fatal.
 */
export async function readContext(
  github: Github | undefined,
  event: GithubEvent,
  pinned: { head: Head | undefined; base: string | undefined },
  wanted: { comments: boolean } = { comments: true },
): Promise<RequestContext> {
  const missing: string[] = [];
  const attempt = async <T>(what: string, fallback: T, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      missing.push(`${what} (${errorMessage(error)})`);
      return fallback;
    }
  };
  const { thread, checks, comment } = event;
  const isReview = comment !== undefined && comment.kind !== 'comment';
  const shown = wanted.comments ? thread : undefined;
  const [comments, reviews, jobs] = await Promise.all([
    github && shown
      ? attempt('the thread’s comments', NO_COMMENTS, async () =>
          readComments(github, event, shown),
        )
      : NO_COMMENTS,
    github && thread && isReview
      ? attempt('the review threads', [], async () => reviewThreads(github, event, thread))
      : [],
    github && checks
      ? attempt('the failing jobs', [], async () => failedJobs(github, event, checks))
      : [],
  ]);
  return {
    event,
    ...pinned,
    thread,
    ...comments,
    place: comment?.place,
    reviewThreads: reviews,
    failedJobs: jobs,
    missing,
  };
}

const NO_COMMENTS = { comments: [] as ThreadComment[], commentsLeftOut: 0 };

/** The last comments before the one that asked; what was written or edited after it is not trusted to be what its author saw. */
async function readComments(
  github: Github,
  event: GithubEvent,
  thread: Thread,
): Promise<typeof NO_COMMENTS> {
  const asked = event.comment?.kind === 'comment' ? event.comment : undefined;
  if ((thread.comments ?? Number.POSITIVE_INFINITY) <= (asked ? 1 : 0)) return NO_COMMENTS;
  const last = Math.max(1, Math.ceil((thread.comments ?? 1) / PAGE));
  const { data } = await github.request(
    'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    {
      owner: event.repository.owner,
      repo: event.repository.name,
      issue_number: thread.number,
      per_page: PAGE,
      page: last,
    },
  );
  const before = data.filter(
    (comment) =>
      String(comment.id) !== asked?.id &&
      !(asked && asked.createdAt !== '' && comment.updated_at > asked.createdAt),
  );
  const comments = before.slice(-COMMENTS_MAX).map((comment) => ({
    author: comment.user?.login ?? 'ghost',
    association: comment.author_association ?? 'NONE',
    body: comment.body ?? '',
    createdAt: comment.created_at,
  }));
  const total = Math.max(thread.comments ?? 0, data.length) - (asked ? 1 : 0);
  return { comments, commentsLeftOut: Math.max(0, total - comments.length) };
}
