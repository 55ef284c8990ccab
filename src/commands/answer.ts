import { REASONS, type Reason } from '../github/decide/reason.ts';
import type { Refusal } from '../github/decide/gate.ts';
import { repositoryName, threadName, type GithubEvent, type Thread } from '../github/read/event.ts';
import { renderRefusal } from '../github/render/answer.ts';
import { COMMENT_MAX, cutMarkdown } from '../github/render/cut.ts';
import { noteMarker } from '../github/render/marker.ts';
import type { Reaction } from '../github/render/state.ts';
import type { PostOf } from '../github/write/post.ts';
import type { Asked, Face, PutOptions, Told } from './face.ts';

/** The place where something was asked, and how to answer there. */
export interface Spot extends Pick<Face, 'put'> {
  event: Pick<GithubEvent, 'repository' | 'comment' | 'actor'> & {
    thread: Pick<Thread, 'number'> | undefined;
  };
}

/** Key of the one answer to a request. */
export function replyKey(requestId: string): string {
  return `reply:${requestId}`;
}

/**
 * Answers a request with one reaction and one comment. The reaction is on the comment that asked,
 * or else on the issue or pull request itself; a later reaction replaces the earlier one.
 */
export async function answer(
  face: Spot,
  { id, attempt }: Pick<Asked, 'id' | 'attempt'>,
  { reaction, text }: Told,
): Promise<void> {
  const options = { mayExist: attempt > 1 };
  if (reaction) await putReaction(face, `reaction:${id}`, reaction, options);
  const post =
    text === undefined ? undefined : reply(face.event, replyKey(id), noteMarker('reply', id), text);
  if (post) await face.put(post, options);
}

/** Refusals given to people about whom nothing more is known. */
const OF_STRANGERS: readonly Reason[] = [
  'no_actor',
  'actor_mismatch',
  'actor_below_bar',
  'permission_unknown',
  'command_not_allowed',
];

/**
 * Answers somebody without permission: 👎 on what they wrote and, once per person, reason and
 * thread, one sentence (threats.md G1). Bots and our own comments get no answer.
 */
export async function tellRefusal(
  face: Spot,
  { reason, detail }: Pick<Refusal, 'reason' | 'detail'>,
): Promise<void> {
  const { event } = face;
  if (REASONS[reason].kind !== 'refusal' || !event.thread) return;
  const options = { isForStranger: OF_STRANGERS.includes(reason) };
  await putReaction(face, `reaction:refused:${subjectName(event)}`, '-1', options);
  const whose = `${reason}:${event.actor?.login ?? ''}`;
  const key = `reply:refused:${whose}:${threadName(event.repository, event.thread)}`;
  const post = reply(event, key, noteMarker('refused', whose), renderRefusal(reason, detail));
  if (post) await face.put(post, { ...options, mayExist: true });
}

function reply(
  { repository, thread, comment }: Spot['event'],
  key: string,
  marker: string,
  text: string,
): PostOf<'comment'> | undefined {
  if (!thread) return undefined;
  return {
    key,
    kind: 'comment',
    repository: repositoryName(repository),
    number: thread.number,
    target: { marker, replyTo: comment?.replyTo ?? null },
    content: { body: `${marker}\n${cutMarkdown(text, COMMENT_MAX - marker.length - 1)}` },
  };
}

async function putReaction(
  face: Spot,
  key: string,
  content: Reaction,
  options: PutOptions,
): Promise<void> {
  const { repository, thread } = face.event;
  const target = subjectOf(face.event);
  if (!thread || !target) return;
  const place = { key, repository: repositoryName(repository), number: thread.number };
  await face.put({ ...place, kind: 'reaction', target, content: { content } }, options);
}

/** Undefined for the text of a review, which cannot have reactions. */
function subjectOf({ comment, thread }: Spot['event']): PostOf<'reaction'>['target'] | undefined {
  if (comment?.kind === 'comment') return { subject: 'issue_comment', id: comment.id };
  if (comment?.kind === 'review_comment') return { subject: 'review_comment', id: comment.id };
  return comment || !thread ? undefined : { subject: 'issue', id: String(thread.number) };
}

function subjectName(event: Spot['event']): string {
  const { subject, id } = subjectOf(event) ?? { subject: 'review', id: event.comment?.id ?? '' };
  return `${repositoryName(event.repository)}:${subject}:${id}`;
}
