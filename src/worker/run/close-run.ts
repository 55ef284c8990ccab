import { errorMessage } from '../../base/error.ts';
import { diskUse } from '../disk-use.ts';
import { remove } from '../housekeeping.ts';
import { remember, type RunContext } from './run-context.ts';

/**
 * Writes down that nothing of the run is under way any more, so that its workspace is kept for a
 * follow-up. One that outgrew its limit, or whose disk is full, is removed instead.
 */
export async function closeRun(run: RunContext): Promise<void> {
  const reason = await whyNotKept(run);
  if (reason === undefined) return;
  run.log.warn({ err: reason }, 'workspace not kept');
  await remove(run.dir);
}

async function whyNotKept(run: RunContext): Promise<string | undefined> {
  const used_at = new Date().toISOString();
  try {
    await remember(run, { lease: undefined, turn_done: undefined, used_at });
  } catch (error) {
    return errorMessage(error);
  }
  const used = await diskUse([run.dir]);
  return used > run.worker.limits.workspaceBytes ? `it takes up ${used} bytes` : undefined;
}
