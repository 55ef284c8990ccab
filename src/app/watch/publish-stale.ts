import { errorMessage } from '../../base/error.ts';
import { isTerminal } from '../../contract/run.ts';
import { finalMessage } from '../../github/render/final-message.ts';
import type { AppContext } from '../context.ts';
import { linkPulls } from '../publish/link-pulls.ts';
import { publishRun } from '../publish/publish-run.ts';
import { wishReview } from '../publish/wish-review.ts';
import { linkLater, markLookedFor } from '../store/pulls.ts';
import { staleRuns, storeFinalMessage, type StoredRun } from '../store/runs.ts';

const AT_ONCE = 8;
const READ_WITHIN_MS = 10_000;

/** Updates GitHub for every run that has news; returns whether there may be more. */
export async function publishStale(context: AppContext): Promise<boolean> {
  const stale = await staleRuns(context.db, AT_ONCE);
  await Promise.all(stale.map((stored) => show(context, stored)));
  return stale.length === AT_ONCE;
}

async function show(context: AppContext, stored: StoredRun): Promise<void> {
  await enrich(context, stored);
  await publishRun(context, stored.runId, stored.run);
}

/**
 * Reads what the run itself does not carry. Any part may be missing; the state is shown all the
 * same.
 */
async function enrich(context: AppContext, stored: StoredRun): Promise<void> {
  const hasEnded = isTerminal(stored.run.state);
  const namesPull = stored.run.artifacts?.some((one) => one.artifact_type === 'PULL_REQUEST');
  const tasks: Promise<unknown>[] = [];
  if (hasEnded || namesPull) tasks.push(linkPulls(context, stored));
  if (hasEnded && stored.finalMessage === null) tasks.push(readFinalMessage(context, stored));
  if (hasEnded) tasks.push(wishReview(context, stored));
  const results = await Promise.allSettled(tasks);
  const missing = results.filter((result) => result.status === 'rejected');
  for (const { reason } of missing) {
    context.log.warn({ run: stored.runId, error: errorMessage(reason) }, 'shown in part for now');
  }
  // Tried again in a minute; after a few tries the sweep takes over.
  if (missing.length > 0) await linkLater(context.db, stored.runId);
  else if (tasks.length > 0) await markLookedFor(context.db, stored.runId);
}

async function readFinalMessage(context: AppContext, stored: StoredRun): Promise<void> {
  const options = { deadlineMs: READ_WITHIN_MS };
  const conversation = await context.client.runs.conversation(stored.runId, options);
  const words = finalMessage(conversation)?.replaceAll('\0', '') ?? '';
  await storeFinalMessage(context.db, stored.runId, words);
}
