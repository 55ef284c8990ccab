import { sameName } from '../../github/read/event.ts';
import { statusOf, type Github } from '../../github/read/octokit.ts';
import type { Post } from '../store/posts.ts';
import { splitRepository } from './repository.ts';

export type ReactionPost = Extract<Post, { kind: 'reaction' }>;

/**
 * Makes this our reaction and takes back the one it follows. GitHub answers a second time with the same
 * reaction, and 404 for one that is gone, so repeating is harmless.
 */
export async function react(github: Github, post: ReactionPost, login: string): Promise<string> {
  const id = await addReaction(github, post);
  const mayHaveEyes = post.triedAt !== null && post.content.content !== 'eyes';
  const earlier = post.remoteId ?? (mayHaveEyes ? await findEyes(github, post, login) : undefined);
  if (earlier !== undefined && earlier !== id) await removeReaction(github, post, earlier);
  return id;
}

async function addReaction(github: Github, post: ReactionPost): Promise<string> {
  const { subject } = post.target;
  const { content } = post.content;
  const { issue, comment } = placesOf(post);
  const { data } =
    subject === 'issue'
      ? await github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/reactions', {
          ...issue,
          content,
        })
      : subject === 'issue_comment'
        ? await github.request(
            'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
            { ...comment, content },
          )
        : await github.request('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', {
            ...comment,
            content,
          });
  return String(data.id);
}

/** The 👀 of an earlier try that did not live to remember it. */
async function findEyes(
  github: Github,
  post: ReactionPost,
  login: string,
): Promise<string | undefined> {
  const { subject } = post.target;
  const { issue, comment } = placesOf(post);
  const query = { content: 'eyes', per_page: 100 } as const;
  const { data } =
    subject === 'issue'
      ? await github.request('GET /repos/{owner}/{repo}/issues/{issue_number}/reactions', {
          ...issue,
          ...query,
        })
      : subject === 'issue_comment'
        ? await github.request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', {
            ...comment,
            ...query,
          })
        : await github.request('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', {
            ...comment,
            ...query,
          });
  const ours = data.find((reaction) => sameName(reaction.user?.login, login));
  return ours && String(ours.id);
}

async function removeReaction(github: Github, post: ReactionPost, id: string): Promise<void> {
  const { subject } = post.target;
  const { issue, comment } = placesOf(post);
  const reaction_id = Number(id);
  try {
    if (subject === 'issue') {
      await github.request(
        'DELETE /repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}',
        { ...issue, reaction_id },
      );
    } else if (subject === 'issue_comment') {
      await github.request(
        'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}',
        { ...comment, reaction_id },
      );
    } else {
      await github.request(
        'DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}',
        { ...comment, reaction_id },
      );
    }
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

function placesOf(post: ReactionPost): {
  issue: { owner: string; repo: string; issue_number: number };
  comment: { owner: string; repo: string; comment_id: number };
} {
  const place = splitRepository(post.repository);
  const number = Number(post.target.id);
  return {
    issue: { ...place, issue_number: number },
    comment: { ...place, comment_id: number },
  };
}
