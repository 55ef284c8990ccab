import type { Github } from '../../github/octokit.ts';
import type { Post } from '../store/posts.ts';
import { createCheck, findCheck, updateCheck } from './write-check.ts';
import { createComment, findComment, updateComment } from './write-comment.ts';
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
  if (post.kind === 'reaction') return react(parts.github, post);
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

function find(
  { github, identity }: WriteParts,
  post: Extract<Post, { kind: 'comment' | 'check' }>,
): Promise<string | undefined> {
  return post.kind === 'comment'
    ? findComment(github, post, identity.login)
    : findCheck(github, post, identity.appId);
}
