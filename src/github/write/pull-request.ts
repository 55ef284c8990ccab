import { RunlinkError, errorMessage } from '../../base/error.ts';
import { retry } from '../../base/retry.ts';
import { githubPauseMs, readGithubFailure } from '../read/github-failure.ts';
import { statusOf, type Github } from '../read/octokit.ts';

export interface NewPullRequest {
  owner: string;
  repo: string;
  /** Branch that was pushed to this repository. */
  head: string;
  /** Branch to merge into; by default the repository's default branch. */
  base?: string | undefined;
  title: string;
  body: string;
  draft?: boolean | undefined;
}

export interface OpenedPullRequest {
  url: string;
  number: number;
  /** False if the branch already had one. */
  created: boolean;
}

const HINTS = {
  limit: 'GitHub’s limit is reached. The branch is pushed: ask for the pull request again later.',
  again: 'GitHub does not answer as it should. The branch is pushed: ask again later.',
  refused:
    'The token needs write permission for pull requests, and the branch at least one commit of its own.',
};

/**
 * Opens the one pull request of a branch. It looks for an existing one first, and again if GitHub
 * reports one (422), so a second try after a crash or a lost response finds that of the first.
 * Waits as long as GitHub's limits ask for. Without support for drafts, it opens a normal one.
 * Throws `pull_request_failed`.
 */
export async function openPullRequest(
  github: Github,
  wanted: NewPullRequest,
  signal?: AbortSignal,
): Promise<OpenedPullRequest> {
  try {
    return await retry(() => openOnce(github, wanted), { pauseMs: githubPauseMs, signal });
  } catch (error) {
    signal?.throwIfAborted();
    const failure = readGithubFailure(error, Date.now());
    throw new RunlinkError(
      'pull_request_failed',
      `The pull request of ${wanted.head} could not be opened.`,
      { hint: HINTS['detail' in failure ? 'refused' : failure.kind], cause: error },
    );
  }
}

async function openOnce(github: Github, wanted: NewPullRequest): Promise<OpenedPullRequest> {
  const existing = await findOpen(github, wanted);
  if (existing) return existing;
  try {
    return await create(github, wanted, wanted.draft === true);
  } catch (error) {
    if (statusOf(error) !== 422) throw error;
    const found = await findOpen(github, wanted);
    if (found) return found;
    if (wanted.draft !== true || !/draft/i.test(errorMessage(error))) throw error;
    return create(github, wanted, false);
  }
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
  // A response that was cut off looks like a success without content; the next try finds the pull
  // request.
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
