import type { Github } from '../read/octokit.ts';
import { ANNOTATIONS_MAX, closeCheck, writeCheck } from './check.ts';
import { deleteComment, writeComment } from './comment.ts';
import type { Ourselves, Post, Standing, Written } from './post.ts';
import { writeReaction } from './reaction.ts';
import { ON_LINES_MAX, writeReview } from './review.ts';

/** Makes GitHub show the post. Looks for one that may exist already, so that there is only one. */
export async function writePost(
  github: Github,
  post: Post,
  standing: Standing,
  us: Ourselves,
): Promise<Written> {
  if (post.kind === 'comment') return writeComment(github, post, standing, us);
  if (post.kind === 'check') return writeCheck(github, post, standing, us);
  if (post.kind === 'review') return writeReview(github, post, standing, us);
  return writeReaction(github, post, standing, us);
}

/** Removes a post that turned out to be a duplicate. A submitted review stays. */
export async function withdrawPost(github: Github, post: Post, id: string): Promise<void> {
  if (post.kind === 'comment') await deleteComment(github, post, id);
  if (post.kind === 'check') await closeCheck(github, post, id);
}

/** The review itself, and what usually changes on earlier ones. */
const REVIEW_WRITES = 4;

/** How many writes GitHub counts for a post: requests, and each comment of a review. */
export function writesOf(post: Post, standing: Standing): number {
  if (post.kind === 'comment') return 1;
  if (post.kind === 'review')
    return REVIEW_WRITES + Math.min(ON_LINES_MAX, post.content.findings.length);
  if (post.kind === 'reaction') return standing.mayExist === false || post.content.besides ? 1 : 2;
  const { annotations = [] } = post.content.output;
  return Math.max(1, Math.ceil(annotations.length / ANNOTATIONS_MAX));
}
