import { errorMessage } from '../../base/error.ts';
import { isProblem } from '../../client/error.ts';
import { repositoryName, type GithubEvent, type Thread } from '../../github/event.ts';
import { canonicalPullRequestUrl } from '../../github/link.ts';
import { readPull } from './link-pulls.ts';
import { cancelRun } from '../commands/cancel-run.ts';
import { refreshRun } from '../commands/refresh-run.ts';
import { loadConfig } from '../config/load.ts';
import type { AppContext } from '../context.ts';
import { publishRun } from '../publish/publish-run.ts';
import { addPull, findPull } from '../store/pulls.ts';
import { addRunThread, findRun, moveHead, type StoredRun } from '../store/runs.ts';

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
  const stored = await runOfPull(context, event, thread);
  const pull = stored && (await findPull(context.db, repository, thread.number));
  if (!pull) return undefined;
  const state = await readPull(context, installationId, pull);
  await publishRun(context, stored.runId);
  if (state === 'closed') await cancelOnClose(context, event, stored);
  return `pull_${event.action ?? 'changed'}`;
}

/** The run this pull request is linked to, looked up by its address where we do not know it yet. */
async function runOfPull(
  context: AppContext,
  event: GithubEvent,
  thread: Thread,
): Promise<StoredRun | undefined> {
  const { db, client } = context;
  const repository = repositoryName(event.repository);
  const known = await findPull(db, repository, thread.number);
  if (known) return findRun(db, known.runId);
  const url = canonicalPullRequestUrl(thread.url);
  let runId: string;
  try {
    runId = (await client.runs.byExternalReference({ url }, { deadlineMs: 10_000 })).run_id;
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
  const stored = await findRun(db, runId);
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

/** `on-close: cancel`: work on a pull request that was closed unmerged is not wanted any more. */
async function cancelOnClose(
  context: AppContext,
  event: GithubEvent,
  stored: StoredRun,
): Promise<void> {
  if (!stored.live) return;
  const github = await context.github(stored.installationId);
  const { config } = await loadConfig(context.db, github, repositoryName(event.repository));
  if (config['on-close'] !== 'cancel') return;
  const outcome = await cancelRun(context, stored.runId);
  context.log.info({ run: stored.runId, outcome }, 'cancelled with its pull request');
  await refreshRun(context, stored.runId).catch((error: unknown) =>
    context.log.warn({ run: stored.runId, error: errorMessage(error) }, 'not refreshed'),
  );
}
