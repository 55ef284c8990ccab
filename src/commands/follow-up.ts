import { backoffMs, retry } from '../base/retry.ts';
import { isAmbiguous, isClientError, isProblem } from '../client/error.ts';
import { isTerminal } from '../contract/run.ts';
import { readImages } from '../github/read/images.ts';
import { renderFollowUp, renderPrompt } from '../github/read/prompt.ts';
import type { Face, Handled, Task, Tell } from './face.ts';
import { handImages } from './hand-images.ts';
import { askForReview } from './review-skill.ts';
import { attemptId, contextOf, orLater, withClosing } from './start-run.ts';

const SEND_WITHIN_MS = 20_000;
const BACKOFF = { firstMs: 750, longestMs: 15_000 };

export interface FollowUp {
  runId: string;
  message: string;
  ignoredOptions: readonly string[];
}

/** Sends a command's text to a run as a follow-up. */
export async function followUp(
  face: Face,
  task: Task,
  { runId, message, ignoredOptions }: FollowUp,
): Promise<Handled> {
  const images = await readImages(face.github, face.event, {
    isFollowUp: true,
    orLater: orLater(face),
  });
  const { lines, attachments } = await handImages(face, runId, images);
  const told = await messageOf(face, task, message, lines);
  const handled = await tellOnce(face, task, {
    runId,
    message: withClosing(told, face.setup(task.command.name)),
    ...(attachments && { attachments }),
  });
  if (handled.reason !== 'followed_up' || ignoredOptions.length === 0) return handled;
  const names = ignoredOptions.map((name) => `\`--${name}\``).join(', ');
  const text = `The run goes on as it was set up; ${names} only count for a new one.`;
  return { ...handled, answer: { text } };
}

/**
 * Sends a message to a run. The request's id is its `Idempotency-Key`, so that a retry adds nothing
 * if the service honours it.
 */
export async function tellOnce(face: Face, task: Task, tell: Tell): Promise<Handled> {
  const { service, remember } = face;
  if (face.rehearse) {
    const names = tell.attachments?.map(({ file_name: name }) => name);
    face.rehearse({
      run_id: tell.runId,
      message: tell.message,
      ...(names && { attachments: names }),
    });
    return { reason: 'dry_run' };
  }
  const { decided } = await remember.decide(task, { tell });
  const { runId, ...body } = 'tell' in decided ? decided.tell : tell;
  const options = face.patience(SEND_WITHIN_MS);
  const run = await service.runs.get(runId, options);
  const key = isTerminal(run.state) ? attemptId(task) : task.id;
  const headers = { 'idempotency-key': key };
  const deadline = performance.now() + (options.deadlineMs ?? Infinity);
  await retry(() => service.runs.followup(runId, body, { ...options, headers }), {
    deadline,
    signal: options.signal,
    pauseMs: (error, tries) => {
      const mayHaveArrived =
        isClientError(error) && isAmbiguous(error) && !isProblem(error, 'conflict');
      return mayHaveArrived ? backoffMs(tries, BACKOFF) : undefined;
    },
  });
  await remember.told(task, run);
  return { reason: 'followed_up', runId, run, isNew: false, headSha: task.pinned.head?.sha };
}

/**
 * The message to a run that knows the thread: the words, where they stand, and the code they are
 * about. One of the repository's own commands adds its text, as for a new run.
 */
async function messageOf(
  face: Face,
  { command, pinned }: Task,
  message: string,
  images: readonly string[],
): Promise<string> {
  const { event } = face;
  const context = await contextOf(face, pinned, { comments: false });
  if (command.verb === 'review') {
    const asked = askForReview(message, command.options.skill !== undefined);
    return renderFollowUp(context, asked, { images });
  }
  if (command.verb !== 'custom') return renderFollowUp(context, message, { images });
  const { skill, template = `Use the skill ${skill}. {{instruction}}` } = face.setup(command.name);
  const kind = event.comment?.kind;
  const isAboutCode = kind === 'review' || kind === 'review_comment' || event.checks !== undefined;
  const whole = isAboutCode ? `${template}\n\n{{context}}` : template;
  return renderPrompt(context, { instruction: message, template: whole, images });
}
