import { RunlinkError, errorMessage } from '../../base/error.ts';
import { statusOf, type Github } from '../read/octokit.ts';

export interface NewPullRequest {
  owner: string;
  repo: string;
  /** Branch that was pushed to the same repository. */
  head: string;
  /** Branch to merge into; the repository's default where absent. */
  base?: string | undefined;
  title: string;
  body: string;
  draft?: boolean | undefined;
}

export interface OpenedPullRequest {
  url: string;
  number: number;
  /** False when there was one for this branch already. */
  created: boolean;
}

/**
 * Opens the one pull request of a branch. Asked first whether there is one, and again when GitHub
 * says so (422), so that a second try after a crash or a lost answer finds the first one's.
 * A repository without drafts gets a plain one. Throws `pull_request_failed`.
 */
export async function openPullRequest(
  github: Github,
  wanted: NewPullRequest,
): Promise<OpenedPullRequest> {
  const existing = await findOpen(github, wanted);
  if (existing) return existing;
  try {
    return await create(github, wanted, wanted.draft === true);
  } catch (error) {
    const mayBeOpen = statusOf(error) === 422 || isUnreadable(error);
    const found = mayBeOpen ? await findOpen(github, wanted) : undefined;
    if (found) return found;
    if (wanted.draft === true && /draft/i.test(errorMessage(error)))
      return create(github, wanted, false);
    throw new RunlinkError(
      'pull_request_failed',
      `The pull request of ${wanted.head} could not be opened.`,
      {
        hint: 'The token needs write permission for pull requests, and the branch at least one commit of its own.',
        cause: error,
      },
    );
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof RunlinkError && error.code === 'github_unreadable';
}

async function create(
  github: Github,
  { owner, repo, head, base, title, body }: NewPullRequest,
  draft: boolean,
): Promise<OpenedPullRequest> {
  const { data } = await github.request('POST /repos/{owner}/{repo}/pulls', {
    owner,
    repo,
    head,
    base: base ?? (await defaultBranch(github, owner, repo)),
    title,
    body,
    draft,
  });
  // An answer that broke off on its way looks like success without content: the next try finds it.
  if (typeof data !== 'object' || !data.html_url) {
    throw new RunlinkError('github_unreadable', 'GitHub’s answer holds no pull request.');
  }
  return { url: data.html_url, number: data.number, created: true };
}

async function findOpen(
  github: Github,
  { owner, repo, head }: NewPullRequest,
): Promise<OpenedPullRequest | undefined> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/pulls', {
    owner,
    repo,
    head: `${owner}:${head}`,
    state: 'open',
    per_page: 100,
  });
  const ours = data.find((pull) => pull.head.ref === head);
  return ours && { url: ours.html_url, number: ours.number, created: false };
}

async function defaultBranch(github: Github, owner: string, repo: string): Promise<string> {
  const { data } = await github.request('GET /repos/{owner}/{repo}', { owner, repo });
  return data.default_branch;
}
