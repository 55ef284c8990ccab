import { errorMessage } from '../../../base/error.ts';
import { connect } from '../../../client/connect.ts';
import { changesSince } from '../../git/changes.ts';
import type { RunClone } from '../../git/clone.ts';
import { isOnGitHub } from '../../git/credentials.ts';
import { agentsTree, commitLeftover, type Leftover } from '../../git/leftover.ts';
import { addTrailers, withTrailers, type Trailers } from '../../git/trailers.ts';
import { freshToken } from '../prepare/git-token.ts';
import { logStep, remember, warn, type RunContext } from '../run-context.ts';
import type { Work } from './check-work.ts';
import type { CloneWork } from './collect-result.ts';
import { pushWork, targetNow } from './push-work.ts';

/** Reports the difference from the base, however the run ended. */
export async function reportChanges(run: RunContext, works: readonly CloneWork[]): Promise<void> {
  for (const { clone, work, leftOut } of works) {
    for (const text of leftOut) await warn(run, `Not part of the result: ${text}.`);
    const tree = await agentsTree(clone, leftoverOf(run, clone, work));
    await run.events.emit([await changesSince(clone, tree, work.headSha, run.stop.signal)]);
  }
}

/**
 * Pushes the agent's work, if the environment asks for that and there is anything to push. Opens
 * the pull request, unless the work goes onto an existing one. A repository that is not on GitHub
 * only gets the branch. Throws `push_failed`, `branch_moved` or `pull_request_failed`.
 */
export async function publish(
  run: RunContext,
  works: readonly CloneWork[],
  message: string,
): Promise<void> {
  const { environment, git: access } = run.lease;
  if (!environment || !access || !(environment.push ?? environment.pull_request)) return;
  for (const { clone, work } of works) {
    const sha = await finishedCommit(run, clone, work);
    if (sha === clone.keepSha) continue;
    // Skip only if both are done: a worker that stopped in between pushed, but opened no pull
    // request.
    if (sha === run.file.published[clone.name] && run.file.pull_request_url) continue;
    const token = await freshToken(run);
    const pushed = await pushWork(run, await targetNow(run, clone, token), sha, token);
    if (!pushed.shared && environment.pull_request) await open(run, pushed, message, token);
  }
}

async function open(
  run: RunContext,
  clone: RunClone,
  message: string,
  token: string | undefined,
): Promise<void> {
  const { branch, url: remote } = clone;
  if (!isOnGitHub(remote, run.lease.git?.api_url ?? '')) {
    await warn(run, `Pushed to branch ${branch}; no pull request: ${remote} is not on GitHub.`);
    return;
  }
  const url = await logStep(run, 'pull_request', `Pull request of ${branch}`, () =>
    pullRequest(run, clone, message, token),
  );
  await report(run, branch, url);
  await remember(run, { pull_request_url: run.file.pull_request_url ?? url });
}

/**
 * The commit to push: the agent's own commits with the run's trailers, plus one with what it
 * changed but did not commit, so that work is never lost because an agent forgot to commit. What
 * the set-up commands left behind is not included.
 */
async function finishedCommit(run: RunContext, clone: RunClone, work: Work): Promise<string> {
  const { lease } = run;
  const author = lease.git?.author ?? { name: 'Runlink', email: 'runlink@localhost' };
  const trailers: Trailers = {
    run: lease.session_link,
    coAuthor: lease.requester,
    signOff: lease.environment?.sign_off ? author : undefined,
  };
  const head = await addTrailers(clone, work.headSha, trailers);
  if (!work.dirty) return head;
  const subject = lease.title.split('\n', 1)[0]?.slice(0, 72) ?? '';
  const text = await withTrailers(`${subject === '' ? 'Work of a run' : subject}\n`, trailers);
  return await commitLeftover(clone, { ...leftoverOf(run, clone, work), head }, text, author);
}

function leftoverOf({ file }: RunContext, { name }: RunClone, work: Work): Leftover {
  return { head: work.headSha, tree: work.treeSha, setupTree: file.setup_trees[name] };
}

async function pullRequest(
  run: RunContext,
  clone: RunClone,
  message: string,
  token: string | undefined,
): Promise<string> {
  const { lease, worker } = run;
  const { issueToClose, renderPullRequest } =
    await import('../../../github/render/pull-request.ts');
  const { openPullRequest } = await import('../../../github/write/pull-request.ts');
  const text = await renderPullRequest({
    runId: lease.run_id,
    sessionLink: lease.session_link,
    title: lease.title,
    message,
    requester: lease.requester?.name,
    thread: lease.metadata['runlink.thread'],
    goesOnFrom: clone.pull,
    closes: issueToClose(lease.metadata, clone),
  });
  const github = await worker.github({ token: token ?? '', apiUrl: lease.git?.api_url ?? '' });
  const wanted = {
    owner: clone.owner,
    repo: clone.name,
    head: clone.branch,
    base: clone.baseBranch,
    title: run.mask(text.title),
    body: run.mask(text.body),
    draft: lease.environment?.draft,
  };
  const { url } = await openPullRequest(github, wanted, run.stop.signal);
  return url;
}

/**
 * Reports the pull request with the run's own key. If the service refuses, that is only a warning
 * (github.md, "Links").
 */
async function report(run: RunContext, branch: string, url: string): Promise<void> {
  const { lease, worker } = run;
  const { request, options } = worker;
  const client = connect({ baseUrl: options.baseUrl, apiKey: lease.run_key, request });
  const call = { run: lease.run_id, signal: run.stop.signal };
  try {
    await client.harness.reportArtifact(
      { artifact_type: 'PULL_REQUEST', data: { url, branch } },
      call,
    );
    await client.harness.reportArtifact(
      { artifact_type: 'EXTERNAL_REFERENCE', data: { reference_type: 'github_pull_request', url } },
      call,
    );
  } catch (error) {
    run.stop.signal.throwIfAborted();
    await warn(run, `The pull request could not be reported: ${errorMessage(error)}`);
  }
}
