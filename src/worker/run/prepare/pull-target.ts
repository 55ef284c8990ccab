import { errorMessage, RunlinkError } from '../../../base/error.ts';
import { retry } from '../../../base/retry.ts';
import type { LeaseRepository } from '../../../contract/lease.ts';
import { sameName } from '../../../github/read/event.ts';
import { githubPauseMs } from '../../../github/read/github-failure.ts';
import type { Github } from '../../../github/read/octokit.ts';
import { readPullRequest, type PullRequest } from '../../../github/read/pull-requests.ts';
import { isOnGitHub } from '../../git/credentials.ts';
import { warn, type RunContext } from '../run-context.ts';
import { leasedToken } from './git-token.ts';

/** Where the work on somebody's pull request starts, and where its commits go. */
export interface PullTarget {
  number: number;
  /** The pull request's head when the work was asked for. */
  sha: string;
  /**
   * The pull request's own branch, if the commits go onto it; undefined if they go onto a branch of
   * the run.
   */
  branch: string | undefined;
  /** The branch that the run's own pull request would target. */
  base: string;
  /** Whether its commits are in another repository. */
  isFork: boolean;
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The target of a run that was asked for on a pull request (github.md, "Work on somebody's pull
 * request"). Whoever may start a run writes its metadata, so the metadata only says where to look;
 * whose branch it is comes from GitHub (threats.md G20). Undefined if the run is not about a pull
 * request, or if that is not open. Throws `branch_moved` if the pull request's branch is not the
 * one in the metadata, `git_failed` if GitHub does not answer.
 */
export async function pullTarget(
  run: RunContext,
  { owner, name: repo, clone_url: url }: LeaseRepository,
): Promise<PullTarget | undefined> {
  const { metadata, git } = run.lease;
  if (!sameName(metadata['runlink.repository'], `${owner}/${repo}`)) return undefined;
  const { sha, headRef, number } = readPlace(metadata);
  if (!SHA.test(sha) || !git || !isOnGitHub(url, git.api_url)) return undefined;
  const github = await githubOf(run, git.api_url);
  const pull = await patiently(run, `Pull request #${number}`, () =>
    readPullRequest(github, { owner, repo, number }),
  );
  if (pull?.state !== 'open' && pull?.state !== 'draft') {
    await warn(
      run,
      `Pull request #${number} is not open, so the work goes into a new pull request.`,
    );
    return undefined;
  }
  if (pull.headRef !== headRef)
    throw new RunlinkError('branch_moved', `Pull request #${number} has another branch now.`, {
      hint: 'Ask for the work again.',
    });
  const isStacked = await mustStack(run, github, { owner, repo, pull });
  const { isFork } = pull;
  const base = isFork ? pull.baseRef : headRef;
  return { number, sha, base, isFork, branch: isStacked ? undefined : headRef };
}

async function githubOf(run: RunContext, apiUrl: string): Promise<Github> {
  return run.worker.github({ token: (await leasedToken(run)) ?? '', apiUrl });
}

function readPlace(metadata: Record<string, string>): {
  sha: string;
  headRef: string;
  number: number;
} {
  const { 'runlink.sha': sha = '', 'runlink.head_ref': headRef = '' } = metadata;
  const number = Number(metadata['runlink.pull_request']);
  // Runs of other events have a commit in their metadata, too.
  return { sha: Number.isSafeInteger(number) ? sha : '', headRef, number };
}

/**
 * Whether the work needs a pull request of its own, because commits may not or should not go onto
 * this one's branch.
 */
async function mustStack(
  run: RunContext,
  github: Github,
  { owner, repo, pull }: { owner: string; repo: string; pull: PullRequest },
): Promise<boolean> {
  const { isFork, headRef: branch } = pull;
  const { metadata, resume } = run.lease;
  const hasOwn = (run.file.pull_request_url ?? resume?.pull_request_url) !== undefined;
  if (isFork || hasOwn || metadata['runlink.on_pull_request'] === 'stack') return true;
  const reason = await patiently(run, `Branch ${branch}`, async () => {
    const { data } = await github.request('GET /repos/{owner}/{repo}', { owner, repo });
    if (data.default_branch === branch) return 'the default branch';
    const route = 'GET /repos/{owner}/{repo}/branches/{branch}';
    const { data: found } = await github.request(route, { owner, repo, branch });
    return found.protected ? 'protected' : undefined;
  });
  if (reason)
    await warn(run, `${branch} is ${reason}, so the work goes into a pull request onto it.`);
  return reason !== undefined;
}

async function patiently<T>(run: RunContext, what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await retry(read, { signal: run.stop.signal, pauseMs: githubPauseMs });
  } catch (error) {
    run.stop.signal.throwIfAborted();
    throw new RunlinkError('git_failed', `${what} could not be read: ${errorMessage(error)}`);
  }
}
