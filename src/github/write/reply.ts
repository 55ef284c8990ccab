import type { GithubEvent } from '../read/event.ts';
import { statusOf, type Github } from '../read/octokit.ts';
import type { Reaction } from '../render/state.ts';
import { createComment } from './upsert.ts';

/**
 * Answers where the question was asked: in the review thread for review comments, else on the issue or
 * pull request. Answers the comment's page, or undefined for an event without a thread.
 */
export async function reply(
  github: Github,
  event: GithubEvent,
  body: string,
): Promise<string | undefined> {
  const { repository, thread, comment } = event;
  if (!thread) return undefined;
  if (comment?.replyTo !== undefined) {
    try {
      const { data } = await github.request(
        'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
        {
          owner: repository.owner,
          repo: repository.name,
          pull_number: thread.number,
          comment_id: Number(comment.replyTo),
          body,
        },
      );
      return data.html_url;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  }
  const created = await createComment(github, { repository, number: thread.number }, body);
  return created.url;
}

/** Puts a reaction on what asked: the comment, else the issue or pull request itself. Answers who we are. */
export async function react(
  github: Github,
  event: GithubEvent,
  content: Reaction,
): Promise<string | undefined> {
  const { repository, thread, comment } = event;
  const place = { owner: repository.owner, repo: repository.name, content };
  if (comment?.kind === 'comment') {
    const { data } = await github.request(
      'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
      { ...place, comment_id: Number(comment.id) },
    );
    return data.user?.login;
  }
  if (comment?.kind === 'review_comment') {
    const { data } = await github.request(
      'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
      { ...place, comment_id: Number(comment.id) },
    );
    return data.user?.login;
  }
  if (!thread) return undefined;
  const { data } = await github.request(
    'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions',
    { ...place, issue_number: thread.number },
  );
  return data.user?.login;
}
