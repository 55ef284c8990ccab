import type { Github } from '../../github/read/octokit.ts';
import type { Post } from '../store/posts.ts';
import { ANNOTATIONS_MAX, closeCheck, createCheck, findCheck, updateCheck } from './write-check.ts';
import { createComment, deleteComment, findComment, updateComment } from './write-comment.ts';
import { react } from './write-reaction.ts';

/** Who we are on GitHub. */
export interface Identity {
  appId: number;
  /** Login our comments are written by, such as `runlink[bot]`. */
  login: string;
}

/** What writing one post needs besides GitHub: to remember that it may exist from now on. */
export interface WriteParts {
  github: Github;
  identity: Identity;
  markTried: () => Promise<void>;
}

/**
 * Makes GitHub show what the post says and answers GitHub's id. What may exist already, because an
 * earlier try died or got no answer, is looked for first, so that it exists once.
 */
export async function writePost(parts: WriteParts, post: Post): Promise<string> {
  if (post.kind === 'reaction') {
    if (!post.triedAt) await parts.markTried();
    return react(parts.github, post, parts.identity.login);
  }
  const id = post.remoteId ?? (post.triedAt ? await find(parts, post) : undefined);
  if (id === undefined) {
    await parts.markTried();
    return post.kind === 'comment'
      ? createComment(parts.github, post)
      : createCheck(parts.github, post);
  }
  if (post.kind === 'comment') await updateComment(parts.github, post, id);
  else await updateCheck(parts.github, post, id);
  return id;
}

/**
 * Takes back what another replica had written meanwhile: this one stood still between asking whether it
 * may write and writing, longer than its lease.
 */
export async function withdraw(github: Github, post: Post, id: string): Promise<void> {
  if (post.kind === 'comment') await deleteComment(github, post, id);
  if (post.kind === 'check') await closeCheck(github, post, id);
}

/** How many requests that GitHub counts as writes a post takes. */
export function writesOf(post: Post): number {
  if (post.kind === 'reaction') return post.triedAt ? 2 : 1;
  if (post.kind === 'comment') return 1;
  const { annotations = [] } = post.content.output;
  return Math.max(1, Math.ceil(annotations.length / ANNOTATIONS_MAX));
}

function find(
  { github, identity }: WriteParts,
  post: Extract<Post, { kind: 'comment' | 'check' }>,
): Promise<string | undefined> {
  return post.kind === 'comment'
    ? findComment(github, post, identity.login)
    : findCheck(github, post, identity.appId);
}
