import type { GithubEvent, Head, CodePlace, Thread } from './event.ts';
import { errorMessage } from '../../base/error.ts';
import type { Github } from './octokit.ts';
import { failedJobs, type FailedJob } from './failed-jobs.ts';
import { openThreads, type ReviewThread } from './review-threads.ts';

export interface ThreadComment {
  author: string;
  /**
   * The author's role in the repository, as GitHub says. A hint for the agent, never used for
   * permissions.
   */
  association: string;
  body: string;
  createdAt: string;
}

/** What surrounds a request, as GitHub shows it now. */
export interface RequestContext {
  event: GithubEvent;
  head: Head | undefined;
  base: string | undefined;
  thread: Thread | undefined;
  comments: ThreadComment[];
  /** How many of `comments` are the thread's first; the others are its newest. */
  firstComments: number;
  /** How many comments between these are not shown. */
  commentsLeftOut: number;
  places: readonly CodePlace[];
  reviewThreads: ReviewThread[];
  failedJobs: FailedJob[];
  /** What could not be read, as text. */
  missing: string[];
}

const PAGE = 100;
/** How many of a thread's first and newest comments are shown. */
const FIRST_MAX = 5;
const COMMENTS_MAX = 25;

export interface ContextWanted {
  comments?: boolean;
  /**
   * Whether an error means that everything should be read again later, instead of going on without
   * this part.
   */
  orLater?: (error: unknown) => boolean;
  onMissing?: (what: string, error: unknown) => void;
}

/**
 * Reads what a request is about: comments of the thread before the one that asked, open review
 * threads if a review asked, and the end of the failing jobs' logs if checks did. A part that
 * cannot be read is listed as missing, unless `orLater` asks for a retry.
 */
export async function readContext(
  github: Github | undefined,
  event: GithubEvent,
  pinned: { head: Head | undefined; base: string | undefined },
  wanted: ContextWanted = {},
): Promise<RequestContext> {
  const missing: string[] = [];
  const attempt = async <T>(what: string, fallback: T, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (wanted.orLater?.(error)) throw error;
      missing.push(`${what} (${errorMessage(error)})`);
      wanted.onMissing?.(what, error);
      return fallback;
    }
  };
  const { thread, checks, comment } = event;
  const isReview = comment !== undefined && comment.kind !== 'comment';
  const shown = wanted.comments === false ? undefined : thread;
  const [comments, reviews, jobs] = await Promise.all([
    github && shown
      ? attempt('the thread’s comments', NO_COMMENTS, async () =>
          readComments(github, event, shown),
        )
      : NO_COMMENTS,
    github && thread && isReview
      ? attempt('the review threads', [], async () => shownThreads(github, event, thread))
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
    places: placesOf(event),
    reviewThreads: reviews,
    failedJobs: jobs,
    missing,
  };
}

function placesOf({ review, comment }: GithubEvent): readonly CodePlace[] {
  return review?.places ?? (comment?.place ? [comment.place] : []);
}

/**
 * How many open review threads are shown (the newest), and how many of the newest comments of each,
 * besides its first.
 */
const SHOWN = { threads: 50, comments: 49 };

async function shownThreads(
  github: Github,
  { repository: { owner, name } }: GithubEvent,
  { number }: Thread,
): Promise<ReviewThread[]> {
  const open = await openThreads(github, { owner, name, number, newest: SHOWN.comments });
  return open.slice(-SHOWN.threads);
}

const NO_COMMENTS = { comments: [] as ThreadComment[], firstComments: 0, commentsLeftOut: 0 };

/**
 * The first and the newest comments before the one that asked. Comments written or edited after it
 * are left out, because its author may not have seen them. GitHub's pages tell how many there are:
 * payloads often do not count the new one.
 */
async function readComments(
  github: Github,
  event: GithubEvent,
  thread: Thread,
): Promise<typeof NO_COMMENTS> {
  const asked = event.comment?.kind === 'comment' ? event.comment : undefined;
  if (thread.comments === 0) return NO_COMMENTS;
  const isEarlier = ({ id, updatedAt }: Listed): boolean =>
    id !== asked?.id && !(asked && asked.createdAt !== '' && updatedAt > asked.createdAt);
  const { listed, total, hasAsked } = await listEnds(github, event, thread, asked?.id);
  const earlier = listed.filter(isEarlier);
  const first = earlier.slice(0, FIRST_MAX);
  const newest = earlier.slice(first.length).slice(-COMMENTS_MAX);
  const comments = [...first, ...newest];
  const commentsLeftOut = Math.max(0, total - (hasAsked ? 1 : 0) - comments.length);
  return { comments, firstComments: first.length, commentsLeftOut };
}

type Listed = ThreadComment & { id: string; updatedAt: string };

/** The first page of a thread's comments and the last ones: all that may be shown. */
async function listEnds(
  github: Github,
  { repository }: GithubEvent,
  { number }: Thread,
  askedId: string | undefined,
): Promise<{ listed: Listed[]; total: number; hasAsked: boolean }> {
  const read = async (page: number): Promise<{ listed: Listed[]; pages: number }> => {
    const { data, headers } = await github.request(
      'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      {
        owner: repository.owner,
        repo: repository.name,
        issue_number: number,
        per_page: PAGE,
        page,
      },
    );
    return { listed: data.map(toListed), pages: lastPage(headers.link) ?? page };
  };
  const { listed, pages } = await read(1);
  const isAsked = ({ id }: Listed): boolean => id === askedId;
  if (pages === 1) return { listed, total: listed.length, hasAsked: listed.some(isAsked) };
  const { listed: end } = await read(pages);
  const isShort = end.length <= COMMENTS_MAX && pages > 2;
  const before = isShort ? (await read(pages - 1)).listed : [];
  const total = (pages - 1) * PAGE + end.length;
  return { listed: [...listed, ...before, ...end], total, hasAsked: end.some(isAsked) };
}

/** The number of the last page by GitHub's `Link` header; undefined if there is one page only. */
function lastPage(link = ''): number | undefined {
  const last = link.split(',').find((each) => each.includes('rel="last"'));
  const url = last && URL.parse(last.slice(last.indexOf('<') + 1, last.indexOf('>')));
  const page = Number((url && url.searchParams.get('page')) || 0);
  return page || undefined;
}

interface CommentData {
  id: number | bigint;
  user?: { login: string } | null;
  author_association?: string;
  body?: string;
  created_at: string;
  updated_at: string;
}

function toListed(data: CommentData): Listed {
  return {
    id: String(data.id),
    author: data.user?.login ?? 'ghost',
    association: data.author_association ?? 'NONE',
    body: data.body ?? '',
    createdAt: data.created_at,
    updatedAt: data.updated_at,
  };
}
