import { errorMessage } from '../../base/error.ts';
import { isProblem } from '../../client/error.ts';
import { statusOf } from '../../github/read/octokit.ts';
import {
  findPullRequests,
  readPullRequestUrl,
  type PullRequestPlace,
} from '../../github/read/pull-requests.ts';
import { areOfOneAccount } from '../commands/same-account.ts';
import type { AppContext } from '../context.ts';
import { addPull, markLinked, pullsOfRun, updatePull } from '../store/pulls.ts';
import {
  addRunThread,
  markStale,
  type PullState,
  type RunPull,
  type StoredRun,
} from '../store/runs.ts';

/**
 * Finds the pull requests of a run, remembers them, and tells the service of each as the run's
 * EXTERNAL_REFERENCE, never by mere mention (github.md, "Links"). What one side does not take now
 * is taken up again by the sweep.
 */
export async function linkPulls(context: AppContext, stored: StoredRun): Promise<void> {
  const { db } = context;
  const github = await context.github(stored.installationId);
  const { login } = await context.identity();
  const [owner = '', name = ''] = stored.repository.split('/');
  const found = await findPullRequests(github, stored.run, {
    repository: { owner, name, url: '', defaultBranch: undefined },
    authors: async () => [login],
  });
  for (const { url } of found) {
    const place = readPullRequestUrl(url);
    if (place) await rememberPull(context, stored, url, place);
  }
  for (const pull of await pullsOfRun(db, stored.runId)) {
    if (pull.state === 'unknown') await readPull(context, stored.installationId, pull);
    if (pull.linkedAt === null) await reportPull(context, pull);
  }
}

async function rememberPull(
  context: AppContext,
  stored: StoredRun,
  url: string,
  { owner, repo, number }: PullRequestPlace,
): Promise<void> {
  const repository = `${owner}/${repo}`;
  await context.db.transaction().execute(async (db) => {
    await addPull(db, { url, runId: stored.runId, repository, number });
    if (!areOfOneAccount(repository, stored.repository)) return;
    await addRunThread(db, stored.runId, {
      repository,
      number,
      isPullRequest: true,
      replyTo: null,
      actor: stored.actor,
      asked: false,
    });
  });
}

/** Asks GitHub how a run's pull request stands now: events come late and out of order. */
export async function readPull(
  context: AppContext,
  installationId: number,
  pull: Pick<RunPull, 'url' | 'runId' | 'repository' | 'number'>,
): Promise<PullState | undefined> {
  const { repository, number } = pull;
  const [owner = '', repo = ''] = repository.split('/');
  const github = await context.github(installationId);
  try {
    const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      owner,
      repo,
      pull_number: number,
    });
    const state = pullState(data);
    const seen = { title: data.title, headSha: data.head.sha, state };
    if (await updatePull(context.db, { repository, number, ...seen })) {
      await markStale(context.db, [pull.runId]);
    }
    return state;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    await updatePull(context.db, {
      repository,
      number,
      title: null,
      headSha: null,
      state: 'closed',
    });
    return undefined;
  }
}

function pullState(pull: {
  state: string;
  draft?: boolean | undefined;
  merged_at?: string | null;
}): PullState {
  if (pull.merged_at) return 'merged';
  if (pull.state === 'closed') return 'closed';
  return pull.draft === true ? 'draft' : 'open';
}

async function reportPull(context: AppContext, pull: RunPull): Promise<void> {
  const title = pull.title ?? undefined;
  try {
    await context.client.harness.reportArtifact(
      {
        artifact_type: 'EXTERNAL_REFERENCE',
        data: { reference_type: 'pull_request', url: pull.url, ...(title && { title }) },
      },
      { run: pull.runId, deadlineMs: 10_000 },
    );
    await markLinked(context.db, pull.url);
  } catch (error) {
    context.log.warn({ pull: pull.url, error: errorMessage(error) }, 'pull request not reported');
    const isRefusal = isProblem(error) && !error.retryable && error.status < 500;
    if (isRefusal) await markLinked(context.db, pull.url);
  }
}
