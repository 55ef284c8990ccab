import { requestOf } from '../contract/repeat-run.ts';
import type { Face, Handled, Task } from './face.ts';
import { startOnce, taskMetadata } from './start.ts';

const READ_WITHIN_MS = 10_000;

/** Starts a run of the same request as an earlier one, with all its options: only the request's id is new. */
export async function retryRun(face: Face, task: Task, runId: string): Promise<Handled> {
  const sent = await face.remember.bodyOf(runId);
  const body = sent ?? requestOf(await face.service.runs.get(runId, face.patience(READ_WITHIN_MS)));
  const metadata = { ...body.metadata, ...taskMetadata(face, task) };
  return startOnce(face, task, { ...body, metadata });
}
