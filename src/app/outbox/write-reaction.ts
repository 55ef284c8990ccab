import type { Github } from '../../github/octokit.ts';
import type { Post } from '../store/posts.ts';
import { splitRepository } from './repository.ts';

export type ReactionPost = Extract<Post, { kind: 'reaction' }>;

/** Adds a reaction; GitHub answers a second time with the same one, so repeating is harmless. */
export async function react(github: Github, post: ReactionPost): Promise<string> {
  const { subject, id } = post.target;
  const { content } = post.content;
  const place = splitRepository(post.repository);
  if (subject === 'issue') {
    const { data } = await github.request(
      'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions',
      { ...place, issue_number: Number(id), content },
    );
    return String(data.id);
  }
  const comment = { ...place, comment_id: Number(id), content };
  const { data } =
    subject === 'issue_comment'
      ? await github.request(
          'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
          comment,
        )
      : await github.request(
          'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
          comment,
        );
  return String(data.id);
}
