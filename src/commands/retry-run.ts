import { isProblem } from '../client/error.ts';
import { ATTACHMENTS_MAX, type CreateRunRequest } from '../contract/run.ts';
import { requestOf } from '../contract/repeat-run.ts';
import type { Face, Handled, Task } from './face.ts';
import { startOnce, taskMetadata } from './start-run.ts';

type Attachments = NonNullable<CreateRunRequest['attachments']>;

const READ_WITHIN_MS = 10_000;

/**
 * Starts a run with the same request as an earlier one, with all its options; only the request's id
 * is new.
 */
export async function retryRun(face: Face, task: Task, runId: string): Promise<Handled> {
  const sent = await face.remember.bodyOf(runId);
  const body = sent ?? requestOf(await face.service.runs.get(runId, face.patience(READ_WITHIN_MS)));
  const { attachments = await imagesOf(face, runId) } = body;
  const metadata = { ...body.metadata, ...taskMetadata(face, task) };
  return startOnce(face, task, {
    ...body,
    ...(attachments.length > 0 && { attachments }),
    metadata,
  });
}

/** The images that a run began with; none if its service does not keep or show them. */
async function imagesOf(face: Face, runId: string): Promise<Attachments> {
  try {
    const options = face.patience(READ_WITHIN_MS);
    const { attachments } = await face.service.runs.attachments(runId, options);
    // Follow-ups may have added more images.
    return attachments.slice(0, ATTACHMENTS_MAX);
  } catch (error) {
    if (isProblem(error) && error.status < 500 && error.status !== 429) return [];
    throw error;
  }
}
