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

/** Where the work on somebody's pull request begins and goes. */
export interface PullTarget {
  number: number;
  /** The commit that was read when the work was asked for. */
  sha: string;
  /** The pull request's own branch where the commits go onto it; undefined for one of the run. */
  branch: string | undefined;
  /** Branch that a pull request of the run goes onto. */
  base: string;
  /** Its commits are another repository's. */
  isFork: boolean;
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The target of a run that was asked for on a pull request (github.md, "Work on somebody's pull request").
 * Whoever may start a run writes its metadata, so that only says where to look: whose branch it is, GitHub says
 * (threats.md G20). Undefined where the run is about none, or about none that is open. Throws `branch_moved` where
 * the pull request is of another branch than was said, and `git_failed` where GitHub does not answer.
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
    await warn(run, `Pull request #${number} is not open: the work goes into one of its own.`);
    return undefined;
  }
  if (pull.headRef !== headRef)
    throw new RunlinkError('branch_moved', `Pull request #${number} is of another branch now.`, {
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
  // Other events bring a commit, too.
  return { sha: Number.isSafeInteger(number) ? sha : '', headRef, number };
}

/** Whether the commits may not go onto the pull request's own branch, or are not wanted there. */
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
  if (reason) await warn(run, `${branch} is ${reason}: the work goes into a pull request onto it.`);
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
