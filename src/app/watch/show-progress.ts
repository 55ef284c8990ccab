import { errorMessage } from '../../base/error.ts';
import { readProgress } from '../../commands/progress.ts';
import type { AppContext } from '../context.ts';
import { publishRun } from '../publish/publish-run.ts';
import { runsToLookAt, storeProgress } from '../store/runs.ts';

const AT_ONCE = 16;
const READ_WITHIN_MS = 10_000;

/** Reads the progress of working runs and shows it; returns whether there may be more. */
export async function showProgress(context: AppContext): Promise<boolean> {
  const due = await runsToLookAt(context.db, AT_ONCE, context.settings.lookEveryMs);
  await Promise.all(due.map((runId) => look(context, runId)));
  return due.length === AT_ONCE;
}

async function look(context: AppContext, runId: string): Promise<void> {
  try {
    const progress = await readProgress(context.client, runId, { deadlineMs: READ_WITHIN_MS });
    if (progress) await storeProgress(context.db, runId, progress);
    await publishRun(context, runId);
  } catch (error) {
    context.log.debug({ run: runId, error: errorMessage(error) }, 'progress not shown');
  }
}
