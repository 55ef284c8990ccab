import type { GithubEvent, Thread } from '../../github/read/event.ts';
import type { Github } from '../../github/read/octokit.ts';

/** The pull request whose checks an event is about; undefined for a branch without one. */
export async function threadOfChecks(
  github: Github,
  event: GithubEvent,
): Promise<Thread | undefined> {
  const number = event.checks?.pullRequests[0];
  if (number === undefined) return undefined;
  const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    owner: event.repository.owner,
    repo: event.repository.name,
    pull_number: number,
  });
  return {
    kind: 'pull_request',
    number,
    nodeId: data.node_id,
    url: data.html_url,
    title: data.title,
    body: data.body ?? '',
    author: data.user.login,
    comments: data.comments,
    updatedAt: data.updated_at,
    base: data.base.ref,
  };
}
