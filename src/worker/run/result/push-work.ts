import { RunlinkError } from '../../../base/error.ts';
import { readPullRequest } from '../../../github/read/pull-requests.ts';
import type { RunClone } from '../../git/clone.ts';
import { branchName } from '../../git/branch-name.ts';
import { credentialsFor } from '../../git/credentials.ts';
import { fetchHead, pushBranch, type PushOrder } from '../../git/push.ts';
import { rebase } from '../../git/rebase.ts';
import { readRemote } from '../../git/remote.ts';
import { ownBranch } from '../prepare/prepare-workspace.ts';
import { logStep, remember, remoteGitVariables, warn, type RunContext } from '../run-context.ts';

/** After this many tries to catch up with a branch that keeps moving we give up. */
const TRIES = 5;

/** GitHub's messages when rules of the branch refuse a push. */
const HAS_RULES = /GH006|GH013|protected branch/i;

/**
 * Pushes the work to its branch and returns the clone as it is afterwards. If GitHub does not
 * accept the work on a pull request's branch, it goes onto a branch of the run. Throws
 * `push_failed`, and `branch_moved` if the work conflicts; work for a pull request is then on a
 * branch of the run, too.
 */
export async function pushWork(
  run: RunContext,
  clone: RunClone,
  sha: string,
  token: string | undefined,
): Promise<RunClone> {
  try {
    const pushed = clone.shared
      ? await join(run, clone, sha, token)
      : await push(run, clone, sha, token);
    // Commits that were rebased onto others' are not the ones in the workspace.
    if (pushed === sha)
      await remember(run, { published: { ...run.file.published, [clone.name]: sha } });
    return clone;
  } catch (error) {
    if (!clone.shared || !(error instanceof RunlinkError)) throw error;
    if (HAS_RULES.test(error.message)) return stack(run, clone, sha, token);
    if (error.code !== 'branch_moved') throw error;
    const { run_id, attempt } = run.lease;
    const branch = branchName(`conflict ${attempt}`, run_id);
    await push(run, { ...clone, branch, shared: false }, sha, token);
    throw new RunlinkError(
      'branch_moved',
      `The work conflicts with what was pushed to ${clone.branch} meanwhile. Its commits are on the branch ${branch}.`,
      { hint: 'Send a follow-up: it starts from the newest commit of the branch.', cause: error },
    );
  }
}

/** Puts work for a pull request whose branch takes no pushes onto a branch of the run. */
async function stack(
  run: RunContext,
  clone: RunClone,
  sha: string,
  token: string | undefined,
): Promise<RunClone> {
  await warn(run, `${clone.branch} takes no pushes, so the work goes into a pull request onto it.`);
  return pushWork(run, await ontoOwnBranch(run, clone, clone.branch), sha, token);
}

/**
 * Where the work for a pull request goes now: if that was merged or closed while the agent worked,
 * onto a branch of the run, because nobody would see commits there. If GitHub does not answer,
 * nothing changes.
 */
export async function targetNow(
  run: RunContext,
  clone: RunClone,
  token: string | undefined,
): Promise<RunClone> {
  const { owner, name: repo, pull: number } = clone;
  if (number === undefined) return clone;
  const apiUrl = run.lease.git?.api_url ?? '';
  const github = await run.worker.github({ token: token ?? '', apiUrl });
  const pull = await readPullRequest(github, { owner, repo, number }).catch(() => undefined);
  if (pull?.state !== 'merged' && pull?.state !== 'closed') return clone;
  const text = `Pull request #${number} was ${pull.state} meanwhile, so the work goes into a new pull request.`;
  await warn(run, text);
  return ontoOwnBranch(run, clone, pull.baseRef);
}

async function ontoOwnBranch(
  run: RunContext,
  clone: RunClone,
  baseBranch: string,
): Promise<RunClone> {
  const branch = clone.shared ? ownBranch(run, clone) : clone.branch;
  const own = { ...clone, branch, baseBranch, shared: false };
  const clones = run.file.clones.map((one) => (one.workTree === clone.workTree ? own : one));
  await remember(run, { clones });
  return own;
}

/**
 * Pushes the work onto somebody's branch without overwriting anything, rebasing it if the branch
 * has moved.
 */
async function join(
  run: RunContext,
  clone: RunClone,
  sha: string,
  token: string | undefined,
): Promise<string> {
  let tip = sha;
  for (let tries = 1; ; tries += 1) {
    try {
      return await push(run, clone, tip, token);
    } catch (error) {
      const hasMoved = error instanceof RunlinkError && error.code === 'branch_moved';
      if (!hasMoved || tries >= TRIES) throw error;
      const there = await fetchHead(orderOf(run, clone, sha, token));
      if (there === undefined) throw error;
      const title = `Rebase onto ${clone.branch}`;
      tip = await logStep(run, 'rebase', title, () => rebase(clone, sha, there));
    }
  }
}

async function push(
  run: RunContext,
  clone: RunClone,
  sha: string,
  token: string | undefined,
): Promise<string> {
  return logStep(run, 'push', `Push ${clone.branch}`, async () => {
    try {
      await pushBranch(orderOf(run, clone, sha, token));
      return sha;
    } catch (error) {
      if (!(error instanceof RunlinkError) || error.code !== 'git_failed') throw error;
      throw new RunlinkError('push_failed', `The branch could not be pushed. ${error.message}`, {
        hint: pushHint(error.message),
        cause: error,
      });
    }
  });
}

function orderOf(
  run: RunContext,
  clone: RunClone,
  sha: string,
  token: string | undefined,
): PushOrder {
  const allowInsecure = run.worker.options.allowInsecureRemotes ?? false;
  return {
    clone,
    sha,
    credentials: credentialsFor(clone.url, { token, apiUrl: run.lease.git?.api_url ?? '' }),
    transports: readRemote({ ...clone, clone_url: clone.url }, allowInsecure).transports,
    publishedSha: run.file.published[clone.name],
    signal: run.stop.signal,
    env: remoteGitVariables(run),
  };
}

/** What to do about GitHub's message on a refused push. */
export function pushHint(said: string): string {
  if (said.includes('refusing to allow') && said.includes('workflow'))
    return 'The commits change a file under .github/workflows: the App needs `workflows: write` (app.yml), a personal token its workflow scope. Or ask for the work without that file.';
  if (/archived/i.test(said))
    return 'The repository is archived: it takes no commits until that is undone.';
  return HAS_RULES.test(said)
    ? 'A rule of the repository refuses it, which GitHub names above. Allow the App what it forbids, or ask for the work without that.'
    : 'The App or token needs write permission for contents.';
}
