import { RunlinkError } from '../../base/error.ts';
import type { Repository } from '../read/event.ts';
import { hasMarker } from '../render/marker.ts';
import { statusOf, type Github } from '../read/octokit.ts';

export interface CommentTarget {
  repository: Repository;
  /** Number of the issue or pull request. */
  number: number;
}

export interface Author {
  login: string;
  type: string;
  /** Id of the GitHub App that wrote, where one did. */
  appId: number | undefined;
}

export interface StoredComment {
  id: number;
  url: string;
  body: string;
  author: Author;
}

export interface Upsert {
  /** First line of `body`: what the comment is known by. */
  marker: string;
  body: string;
  /** Whether an author is us; the marker alone proves nothing (threats.md G8). */
  isOurs: (author: Author) => boolean | Promise<boolean>;
  /** The comment's id, when it was written before. */
  knownId?: number | undefined;
  /** False when nobody can have written it yet, which saves looking for it. */
  mayExist: boolean;
}

const PAGE = 100;
/** More pages than any thread has; a wall against an endless answer. */
const PAGES_MAX = 100;

/** Every comment of a thread, or those changed since a moment, oldest first. */
export async function listComments(
  github: Github,
  { repository, number }: CommentTarget,
  since?: string,
): Promise<StoredComment[]> {
  const all: StoredComment[] = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const { data } = await github.request(
      'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      {
        owner: repository.owner,
        repo: repository.name,
        issue_number: number,
        per_page: PAGE,
        page,
        ...(since === undefined ? {} : { since }),
      },
    );
    all.push(...data.map(toStored));
    if (data.length < PAGE) break;
  }
  return all;
}

interface CommentData {
  id: number | bigint;
  html_url: string;
  body?: string | undefined;
  user?: { login: string; type: string } | null;
  performed_via_github_app?: { id: number | bigint } | null;
}

function toStored(data: CommentData): StoredComment {
  // An answer that broke off on its way looks like success without content.
  if (typeof data !== 'object' || !data.id) {
    throw new RunlinkError('github_unreadable', 'GitHub’s answer holds no comment.');
  }
  const app = data.performed_via_github_app;
  return {
    id: Number(data.id),
    url: data.html_url,
    body: data.body ?? '',
    author: {
      login: data.user?.login ?? '',
      type: data.user?.type ?? '',
      appId: app ? Number(app.id) : undefined,
    },
  };
}

/**
 * Writes the one comment with this marker: changes it when its text differs, creates it when there is
 * none. When two were created at once the oldest stays and the younger ones go.
 */
export async function upsertComment(
  github: Github,
  target: CommentTarget,
  wanted: Upsert,
): Promise<StoredComment> {
  if (wanted.knownId !== undefined) {
    const updated = await updateComment(github, target, wanted.knownId, wanted.body);
    if (updated) return updated;
  }
  if (wanted.mayExist || wanted.knownId !== undefined) {
    const [oldest, ...younger] = await findComments(github, target, wanted);
    await removeComments(github, target, younger);
    if (oldest?.body === wanted.body) return oldest;
    const updated = oldest && (await updateComment(github, target, oldest.id, wanted.body));
    if (updated) return updated;
  }
  return settleRace(github, target, wanted, await createComment(github, target, wanted.body));
}

/** Our comments with this marker, oldest first. */
export async function findComments(
  github: Github,
  target: CommentTarget,
  wanted: Pick<Upsert, 'marker' | 'isOurs'>,
): Promise<StoredComment[]> {
  return ours(await listComments(github, target), wanted);
}

/** After a creation: if somebody of us was first, theirs stays. */
async function settleRace(
  github: Github,
  target: CommentTarget,
  wanted: Upsert,
  created: StoredComment & { createdAt: string },
): Promise<StoredComment> {
  const since = new Date(Date.parse(created.createdAt) - 60_000);
  if (Number.isNaN(since.getTime())) return created;
  const isOurs = (author: Author): boolean => author.login === created.author.login;
  const recent = await listComments(github, target, since.toISOString());
  const [oldest, ...younger] = await ours(recent, { ...wanted, isOurs });
  await removeComments(github, target, younger);
  if (!oldest || oldest.id === created.id) return created;
  return (await updateComment(github, target, oldest.id, wanted.body)) ?? oldest;
}

async function ours(
  comments: StoredComment[],
  { marker, isOurs }: Pick<Upsert, 'marker' | 'isOurs'>,
): Promise<StoredComment[]> {
  const marked = comments.filter((comment) => hasMarker(comment.body, marker));
  const verdicts = await Promise.all(marked.map(async ({ author }) => isOurs(author)));
  return marked.filter((_, at) => verdicts[at]).toSorted((a, b) => a.id - b.id);
}

export async function createComment(
  github: Github,
  { repository, number }: CommentTarget,
  body: string,
): Promise<StoredComment & { createdAt: string }> {
  const { data } = await github.request(
    'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    { owner: repository.owner, repo: repository.name, issue_number: number, body },
  );
  return { ...toStored(data), createdAt: data.created_at };
}

/** Undefined when the comment is gone. */
async function updateComment(
  github: Github,
  { repository }: CommentTarget,
  id: number,
  body: string,
): Promise<StoredComment | undefined> {
  try {
    const { data } = await github.request(
      'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
      { owner: repository.owner, repo: repository.name, comment_id: id, body },
    );
    return toStored(data);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

async function removeComments(
  github: Github,
  { repository }: CommentTarget,
  comments: StoredComment[],
): Promise<void> {
  for (const { id } of comments) {
    try {
      await github.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner: repository.owner,
        repo: repository.name,
        comment_id: id,
      });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  }
}
