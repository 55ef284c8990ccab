import { cancelRun } from '../../commands/cancel.ts';
import { areOfOneAccount, findLinkedRun } from '../../commands/thread-run.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { repositoryName, type Head, type Thread } from '../../github/read/event.ts';
import { canonicalPullRequestUrl } from '../../github/read/pull-requests.ts';
import { loadRepositoryConfig } from '../config/load.ts';
import type { AppContext } from '../context.ts';
import { adoptRun } from '../publish/adopt-run.ts';
import { refreshPull, rememberPull } from '../publish/link-pulls.ts';
import { publishRun } from '../publish/publish-run.ts';
import { refreshRun } from '../publish/refresh-run.ts';
import { findPull } from '../store/pulls.ts';
import { liveRunsOnThread } from '../store/run-threads.ts';
import { findStoredRun, moveHead, repositoryOfRun, type StoredRun } from '../store/runs.ts';
import type { Delivered } from './event.ts';
import { carryOutOn } from './text.ts';

const CANCEL_WITHIN_MS = 20_000;

/**
 * A pull request was opened or changed: shows that on the threads of its run, and carries out what
 * it asks for.
 */
export async function onPullRequest(context: AppContext, delivered: Delivered): Promise<Reason[]> {
  const { thread, head } = delivered.event;
  if (!thread || !head) return ['unreadable_payload'];
  const shown = await follow(context, delivered, thread, head);
  return carryOutOn(context, delivered, thread, shown);
}

/**
 * Follows the pull request of a run: links it when it is opened, moves the check to a new head, and
 * says on the thread that it was merged or closed. Undefined if the pull request belongs to no run.
 */
async function follow(
  context: AppContext,
  delivered: Delivered,
  thread: Thread,
  head: Head,
): Promise<Reason | undefined> {
  const { event, installationId } = delivered;
  const repository = repositoryName(event.repository);
  for (const runId of await moveHead(context.db, repository, thread.number, head.sha)) {
    await publishRun(context, runId);
  }
  const stored = await runOfPull(context, delivered, thread);
  const pull = stored && (await findPull(context.db, repository, thread.number));
  if (pull) {
    await refreshPull(context, installationId, pull);
    await publishRun(context, stored.runId);
  }
  const isCancelled =
    event.action === 'closed' && (await cancelOnClose(context, delivered, thread));
  return pull || isCancelled ? FOLLOWED[event.action ?? ''] : undefined;
}

const FOLLOWED: Record<string, Reason> = {
  opened: 'pull_opened',
  reopened: 'pull_reopened',
  ready_for_review: 'pull_ready_for_review',
  synchronize: 'pull_synchronize',
  labeled: 'pull_labeled',
  assigned: 'pull_assigned',
  closed: 'pull_closed',
};

/** The run that this pull request is linked to; looked up by URL if we do not know it yet. */
async function runOfPull(
  context: AppContext,
  { event, installationId, github }: Delivered,
  thread: Thread,
): Promise<StoredRun | undefined> {
  const { db, client } = context;
  const repository = repositoryName(event.repository);
  const known = await findPull(db, repository, thread.number);
  if (known) return ownRun(context, known.runId, repository);
  const run = await findLinkedRun({
    service: client,
    github,
    event,
    patience: (ms) => ({ deadlineMs: ms }),
    authors: async () => [(await context.identity()).login],
    repositoryOf: (found) => repositoryOfRun(db, found),
  });
  if (!run) return undefined;
  const finding = { event, thread, installationId, actor: '', head: undefined };
  const stored = (await findStoredRun(db, run.run_id)) ?? (await adoptRun(context, finding, run));
  const url = canonicalPullRequestUrl(thread.url);
  await rememberPull(context, stored, { url, repository, number: thread.number });
  return stored;
}

/**
 * Whether the run belongs to this account. Another account's run may claim this pull request, but
 * must not be shown here.
 */
async function ownRun(
  { db }: AppContext,
  runId: string,
  repository: string,
): Promise<StoredRun | undefined> {
  const stored = await findStoredRun(db, runId);
  return stored && areOfOneAccount(stored.repository, repository) ? stored : undefined;
}

/** `on-close: cancel`: cancels work on a pull request that was closed without being merged. */
async function cancelOnClose(
  context: AppContext,
  { event, installationId, github }: Delivered,
  { url, number }: Thread,
): Promise<boolean> {
  const repository = repositoryName(event.repository);
  const live = await liveRunsOnThread(context.db, repository, number);
  const [first] = live;
  if (first === undefined) return false;
  const { config } = await loadRepositoryConfig(context.db, github, repository);
  if (config['on-close'] !== 'cancel') return false;
  const pull = { url, repository, number, runId: first };
  if ((await refreshPull(context, installationId, pull)) !== 'closed') return false;
  for (const runId of live) {
    const outcome = await cancelRun(context.client, runId, { withinMs: CANCEL_WITHIN_MS });
    context.log.info({ run: runId, outcome }, 'cancelled with its pull request');
    await refreshRun(context, runId);
  }
  return true;
}
