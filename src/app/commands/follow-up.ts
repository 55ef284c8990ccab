import { isProblem } from '../../client/error.ts';
import { readContext } from '../../github/read/context.ts';
import { repositoryName } from '../../github/read/event.ts';
import { renderFollowUp, renderPrompt } from '../../github/read/prompt.ts';
import type { AppContext } from '../context.ts';
import { freezeRequest, settleRequest } from '../store/requests.ts';
import { addRunThread, findRun } from '../store/runs.ts';
import { adoptRun } from './adopt-run.ts';
import { reactTo, replyTo, type Ask } from './ask.ts';
import { refreshRun } from './refresh-run.ts';

const SEND_WITHIN_MS = 20_000;

export interface FollowUp {
  runId: string;
  message: string;
  /** Text of the repository's own command that the message goes into. */
  template?: string | undefined;
  ignoredOptions: readonly string[];
}

/** Tells a run more; the same request is sent with the same key, so that it arrives once. */
export async function followUp(
  context: AppContext,
  ask: Ask,
  follow: FollowUp,
): Promise<'followed_up' | 'run_vanished'> {
  const { runId } = follow;
  await reactTo(context, ask, 'eyes');
  const message = await messageOf(ask, follow);
  const body = await freezeRequest(context.db, ask.requestId, { message });
  try {
    await context.client.runs.followup(runId, body, {
      headers: { 'idempotency-key': ask.requestId },
      deadlineMs: SEND_WITHIN_MS,
    });
  } catch (error) {
    if (!isProblem(error, 'resource_not_found')) throw error;
    await replyTo(
      context,
      ask,
      ask.requestId,
      'The service no longer knows the run of this thread.',
    );
    return 'run_vanished';
  }
  await showOnThread(context, ask, runId);
  if (follow.ignoredOptions.length > 0) {
    const names = follow.ignoredOptions.map((name) => `\`--${name}\``).join(', ');
    const text = `The run goes on as it was set up; ${names} only count for a new one.`;
    await replyTo(context, ask, ask.requestId, text);
  }
  await refreshRun(context, runId);
  return 'followed_up';
}

/** What was asked in a review says where in the code it was asked. */
async function messageOf(ask: Ask, { message, template }: FollowUp): Promise<string> {
  const { event, head, base } = ask;
  const kind = event.comment?.kind;
  const isReview = kind === 'review_comment' || kind === 'review';
  if (!isReview && template === undefined) return message;
  const context = await readContext(ask.github, event, { head, base });
  if (template === undefined) return renderFollowUp(context, message);
  const known = { ...context, comments: [], commentsLeftOut: 0 };
  const isAbout = isReview || event.checks !== undefined;
  const whole = isAbout ? `${template}\n\n{{context}}` : template;
  return renderPrompt(known, { instruction: message, template: whole });
}

async function showOnThread(context: AppContext, ask: Ask, runId: string): Promise<void> {
  if (!(await findRun(context.db, runId))) {
    await adoptRun(context, ask, await context.client.runs.get(runId));
  }
  await context.db.transaction().execute(async (db) => {
    await addRunThread(db, runId, {
      repository: repositoryName(ask.event.repository),
      number: ask.thread.number,
      isPullRequest: ask.thread.kind === 'pull_request',
      replyTo: ask.event.comment?.replyTo ?? null,
      actor: ask.actor,
      asked: true,
    });
    await settleRequest(db, ask.requestId, 'followed_up', runId);
  });
}
