import { isProblem } from '../../client/error.ts';
import type { AppContext } from '../context.ts';
import { publishRun } from './publish-run.ts';
import { markStale, updateRuns } from '../store/runs.ts';

/**
 * Reads a run from the service and shows it: what changed before it was stored was seen by no
 * watch.
 */
export async function refreshRun(context: AppContext, runId: string): Promise<void> {
  await markStale(context.db, [runId]);
  try {
    const run = await context.client.runs.get(runId, { deadlineMs: REFRESH_WITHIN_MS });
    await updateRuns(context.db, [run]);
  } catch (error) {
    if (!isProblem(error, 'resource_not_found')) throw error;
  }
  await publishRun(context, runId);
}

/** Short, because a person waits for the first sign; the watch and the sweep see the rest. */
const REFRESH_WITHIN_MS = 10_000;
