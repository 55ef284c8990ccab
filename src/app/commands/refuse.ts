import { renderRefusal } from '../../github/render/answer.ts';
import { threadName } from '../../github/read/event.ts';
import type { Refusal } from '../../github/decide/gate.ts';
import { REASONS } from '../../github/decide/reason.ts';
import type { AppContext } from '../context.ts';
import { reactTo, replyTo, type Ask } from './ask.ts';

/**
 * Answers somebody who may not: 👎 on what they wrote and, once per person, reason and thread, one
 * sentence (threats.md G1). Bots and our own comments are met with silence.
 */
export async function refuse(
  context: AppContext,
  ask: Pick<Ask, 'event' | 'thread' | 'installationId' | 'requestId'>,
  { reason, detail }: Refusal,
): Promise<void> {
  if (REASONS[reason].kind === 'skip') return;
  await reactTo(context, ask, '-1');
  await tellRefusal(context, ask, { allowed: false, reason, detail });
}

/** The sentence alone, where there is nothing to react to. */
export async function tellRefusal(
  context: AppContext,
  ask: Pick<Ask, 'event' | 'thread' | 'installationId'>,
  { reason, detail }: Refusal,
): Promise<void> {
  if (REASONS[reason].kind === 'skip') return;
  const who = ask.event.actor?.login ?? '';
  const key = `refused:${reason}:${who}:${threadName(ask.event.repository, ask.thread)}`;
  await replyTo(context, ask, key, renderRefusal(reason, detail, key));
}
