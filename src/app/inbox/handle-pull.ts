import { isProblem } from '../../client/error.ts';
import { repositoryName, type GithubEvent, type Thread } from '../../github/read/event.ts';
import { canonicalPullRequestUrl } from '../../github/read/pull-requests.ts';
import { readPull } from './link-pulls.ts';
import { adoptRun } from '../commands/adopt-run.ts';
import { cancelRun } from '../commands/cancel-run.ts';
import { areOfOneAccount, isOfAccount } from '../commands/same-account.ts';
import { refreshRun } from '../commands/refresh-run.ts';
import { readOutage } from './outage.ts';
import { loadConfig } from '../config/load.ts';
import type { AppContext } from '../context.ts';
import { publishRun } from '../publish/publish-run.ts';
import { addPull, findPull } from '../store/pulls.ts';
import {
  addRunThread,
  findRun,
  liveRunsOnThread,
  moveHead,
  type StoredRun,
} from '../store/runs.ts';

/**
 * Keeps a run's pull request as GitHub has it: links it when it is opened, moves the check to a new
 * head, says on the thread that it was merged or closed. Undefined when the pull request is no run's.
 */
export async function handlePull(
  context: AppContext,
  event: GithubEvent,
): Promise<string | undefined> {
  const { thread, head, installationId } = event;
  if (!thread || !head || installationId === undefined) return undefined;
  const repository = repositoryName(event.repository);
  for (const runId of await moveHead(context.db, repository, thread.number, head.sha)) {
    await publishRun(context, runId);
  }
  const stored = await runOfPull(context, { ...event, installationId, thread });
  const pull = stored && (await findPull(context.db, repository, thread.number));
  if (pull) {
    await readPull(context, installationId, pull);
    await publishRun(context, stored.runId);
  }
  const isCancelled =
    event.action === 'closed' && (await cancelOnClose(context, installationId, repository, thread));
  return pull || isCancelled ? `pull_${event.action ?? 'changed'}` : undefined;
}

/** The run this pull request is linked to, looked up by its address where we do not know it yet. */
async function runOfPull(
  context: AppContext,
  event: GithubEvent & { installationId: number; thread: Thread },
): Promise<StoredRun | undefined> {
  const { db, client } = context;
  const { thread, installationId } = event;
  const repository = repositoryName(event.repository);
  const known = await findPull(db, repository, thread.number);
  if (known) return ownRun(db, known.runId, repository);
  const url = canonicalPullRequestUrl(thread.url);
  let runId: string;
  try {
    runId = (await client.runs.byExternalReference({ url }, { deadlineMs: 10_000 })).run_id;
  } catch (error) {
    if (isProblem(error) && !readOutage(error, Date.now())) return undefined;
    throw error;
  }
  const run = await client.runs.get(runId);
  if (!(await isOfAccount(context, run, event.repository))) return undefined;
  const place = { event, thread, installationId, actor: '', head: undefined };
  const stored = (await findRun(db, runId)) ?? (await adoptRun(context, place, run));
  if (!stored) return undefined;
  await db.transaction().execute(async (trx) => {
    await addPull(trx, { url, runId, repository, number: thread.number });
    await addRunThread(trx, runId, {
      repository,
      number: thread.number,
      isPullRequest: true,
      replyTo: null,
      actor: stored.actor,
      asked: false,
    });
  });
  return stored;
}

/** Nothing of what is read here is shown to another account, whose run says that it made this. */
async function ownRun(
  db: AppContext['db'],
  runId: string,
  repository: string,
): Promise<StoredRun | undefined> {
  const stored = await findRun(db, runId);
  return stored && areOfOneAccount(stored.repository, repository) ? stored : undefined;
}

/** `on-close: cancel`: work on a pull request that was closed unmerged is not wanted any more. */
async function cancelOnClose(
  context: AppContext,
  installationId: number,
  repository: string,
  { url, number }: Thread,
): Promise<boolean> {
  const live = await liveRunsOnThread(context.db, repository, number);
  const [first] = live;
  if (first === undefined) return false;
  const github = await context.github(installationId);
  const { config } = await loadConfig(context.db, github, repository);
  if (config['on-close'] !== 'cancel') return false;
  const pull = { url, repository, number, runId: first };
  if ((await readPull(context, installationId, pull)) !== 'closed') return false;
  for (const runId of live) {
    const outcome = await cancelRun(context, runId);
    context.log.info({ run: runId, outcome }, 'cancelled with its pull request');
    await refreshRun(context, runId);
  }
  return true;
}
