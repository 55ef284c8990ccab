import { errorMessage } from '../../base/error.ts';
import { isProblem } from '../../client/error.ts';
import { reportPullRequest } from '../../commands/run-ending.ts';
import { areOfOneAccount } from '../../commands/thread-run.ts';
import { splitRepository } from '../../github/read/octokit.ts';
import { findPullRequests, readPullRequest } from '../../github/read/pull-requests.ts';
import type { AppContext } from '../context.ts';
import { addPull, markLinked, pullsOfRun, updatePull, type RunPull } from '../store/pulls.ts';
import { addRunThread } from '../store/run-threads.ts';
import { markStale, type StoredRun } from '../store/runs.ts';

const REPORT_WITHIN_MS = 10_000;

/**
 * Finds a run's own pull requests, remembers them, and reports each to the service as the run's
 * EXTERNAL_REFERENCE (github.md, "Links"). The sweep tries again what failed.
 */
export async function linkPulls(context: AppContext, stored: StoredRun): Promise<void> {
  const github = await context.github(stored.installationId);
  const { owner, repo: name } = splitRepository(stored.repository);
  const found = await findPullRequests(github, stored.run, {
    repository: { owner, name },
    authors: async () => [(await context.identity()).login],
  });
  for (const { url, repository, number, isOwn } of found) {
    if (!isOwn || repository === undefined || number === undefined) continue;
    await rememberPull(context, stored, { url, repository, number });
  }
  for (const pull of await pullsOfRun(context.db, stored.runId)) {
    if (pull.state === 'unknown') await refreshPull(context, stored.installationId, pull);
    if (pull.linkedAt === null) await reportPull(context, pull);
  }
}

/** From now on the pull request shows the run and takes commands for it. */
export async function rememberPull(
  context: AppContext,
  { runId, repository: origin, actor }: StoredRun,
  pull: Pick<RunPull, 'url' | 'repository' | 'number'>,
): Promise<void> {
  const { repository, number } = pull;
  await context.db.transaction().execute(async (db) => {
    await addPull(db, { ...pull, runId });
    if (!areOfOneAccount(repository, origin)) return;
    const place = { repository, number, isPullRequest: true, replyTo: null };
    await addRunThread(db, runId, { ...place, actor, asked: false });
  });
}

/** Asks GitHub for the current state of a run's pull request: events come late and out of order. */
export async function refreshPull(
  context: AppContext,
  installationId: number,
  { runId, repository, number }: Pick<RunPull, 'url' | 'runId' | 'repository' | 'number'>,
): Promise<RunPull['state'] | undefined> {
  const github = await context.github(installationId);
  const pull = await readPullRequest(github, { ...splitRepository(repository), number });
  const { title = null, headSha = null, state = 'closed' } = pull ?? {};
  const isNews = await updatePull(context.db, { repository, number, title, headSha, state });
  if (isNews && pull) await markStale(context.db, [runId]);
  return pull?.state;
}

async function reportPull(context: AppContext, pull: RunPull): Promise<void> {
  try {
    const options = { deadlineMs: REPORT_WITHIN_MS };
    await reportPullRequest(context.client, pull.runId, pull, options);
    await markLinked(context.db, pull.url);
  } catch (error) {
    context.log.warn({ pull: pull.url, error: errorMessage(error) }, 'pull request not reported');
    const isRefusal = isProblem(error) && !error.retryable && error.status < 500;
    if (isRefusal) await markLinked(context.db, pull.url);
  }
}
