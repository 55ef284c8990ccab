import { sameName } from '../../github/read/event.ts';
import { hasMarker } from '../../github/render/marker.ts';
import type { Github } from '../../github/read/octokit.ts';
import type { Post } from '../store/posts.ts';
import { splitRepository } from './repository.ts';

export type CommentPost = Extract<Post, { kind: 'comment' }>;

/** Comments changed up to this long before the first try are looked through: clocks differ, some by a time zone. */
const LOOK_BACK_MS = 26 * 3_600_000;
const PAGES_MAX = 50;

interface Place {
  owner: string;
  repo: string;
  number: number;
  replyTo: string | null;
}

/** Writes a new comment, or a reply in the review thread it belongs to; answers GitHub's id. */
export async function createComment(github: Github, post: CommentPost): Promise<string> {
  const { owner, repo, number, replyTo } = placeOf(post);
  const { body } = post.content;
  const { data } =
    replyTo === null
      ? await github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          owner,
          repo,
          issue_number: number,
          body,
        })
      : await github.request(
          'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
          { owner, repo, pull_number: number, comment_id: Number(replyTo), body },
        );
  return String(data.id);
}

export async function updateComment(github: Github, post: CommentPost, id: string): Promise<void> {
  const { owner, repo, replyTo } = placeOf(post);
  const target = { owner, repo, comment_id: Number(id), body: post.content.body };
  if (replyTo === null) {
    await github.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', target);
  } else {
    await github.request('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', target);
  }
}

export async function deleteComment(github: Github, post: CommentPost, id: string): Promise<void> {
  const { owner, repo, replyTo } = placeOf(post);
  const target = { owner, repo, comment_id: Number(id) };
  if (replyTo === null) {
    await github.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', target);
  } else {
    await github.request('DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}', target);
  }
}

/**
 * The comment an earlier try left behind: begins with our marker and was written by us (threats.md
 * G8). The oldest, should there be several.
 */
export async function findComment(
  github: Github,
  post: CommentPost,
  login: string,
): Promise<string | undefined> {
  const since = new Date((post.triedAt ?? new Date(0)).getTime() - LOOK_BACK_MS).toISOString();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const comments = await listComments(github, placeOf(post), since, page);
    const found = comments.find(
      (comment) =>
        sameName(comment.user?.login, login) && hasMarker(comment.body ?? '', post.target.marker),
    );
    if (found) return String(found.id);
    if (comments.length < 100) return undefined;
  }
  return undefined;
}

interface Listed {
  id: number | bigint;
  body?: string | undefined;
  user: { login: string } | null;
}

async function listComments(
  github: Github,
  { owner, repo, number, replyTo }: Place,
  since: string,
  page: number,
): Promise<Listed[]> {
  const query = { owner, repo, since, per_page: 100, page };
  const { data } =
    replyTo === null
      ? await github.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          ...query,
          issue_number: number,
        })
      : await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
          ...query,
          pull_number: number,
        });
  return data.map(({ id, body, user }) => ({ id, body, user }));
}

function placeOf(post: CommentPost): Place {
  return {
    ...splitRepository(post.repository),
    number: post.number,
    replyTo: post.target.replyTo,
  };
}
