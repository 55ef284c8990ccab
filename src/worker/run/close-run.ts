import { errorMessage } from '../../base/error.ts';
import { remember, type RunContext } from './run-context.ts';
import { measureRun, removeRun } from './run-directories.ts';

/**
 * Records that the run is no longer worked on and keeps its workspace for a follow-up. If the
 * workspace is over its limit or the record cannot be written (a full disk, say), it is removed.
 */
export async function closeRun(run: RunContext): Promise<void> {
  const reason = await whyNotKept(run);
  if (reason === undefined) return;
  run.log.warn({ err: reason }, 'workspace not kept');
  await removeRun(run.worker, run.dir);
}

async function whyNotKept(run: RunContext): Promise<string | undefined> {
  const used_at = new Date().toISOString();
  const bytes = await measureRun(run.worker, run.dir, run.file.process_marker);
  try {
    await remember(run, { lease: undefined, turn_done: undefined, used_at, bytes });
  } catch (error) {
    return errorMessage(error);
  }
  if (bytes === undefined) return 'it cannot be told what it takes up';
  return bytes > run.worker.limits.workspaceBytes ? `it takes up ${bytes} bytes` : undefined;
}
