import type { GithubEvent, Head, Thread } from '../../github/read/event.ts';
import { repositoryName } from '../../github/read/event.ts';
import { COMMENT_MAX, cutMarkdown } from '../../github/render/cut.ts';
import { noteMarker } from '../../github/render/marker.ts';
import type { Github } from '../../github/read/octokit.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { AppContext } from '../context.ts';
import { reactionKey, wish, type ReactionContent, type ReactionSubject } from '../store/posts.ts';

/** Something somebody asked for on a thread, and all that is needed to answer it. */
export interface Ask {
  requestId: string;
  event: GithubEvent;
  thread: Thread;
  actor: string;
  installationId: number;
  github: Github;
  config: LoadedConfig['config'];
  broken: LoadedConfig['broken'];
  /** The pull request's head as read when the actor was let in (threats.md G6). */
  head: Head | undefined;
  base: string | undefined;
}

/** Where something was asked. */
export type Asked = Pick<Ask, 'event' | 'installationId'> & { thread: Pick<Thread, 'number'> };

/** Answers where it was asked, once per request. */
export async function replyTo(
  context: AppContext,
  ask: Asked,
  key: string,
  body: string,
): Promise<void> {
  const marker = noteMarker('reply', key);
  await wish(context.db, {
    key: `reply:${key}`,
    kind: 'comment',
    installationId: ask.installationId,
    repository: repositoryName(ask.event.repository),
    number: ask.thread.number,
    target: { marker, replyTo: ask.event.comment?.replyTo ?? null },
    content: { body: `${marker}\n${cutMarkdown(body, COMMENT_MAX - marker.length - 1)}` },
  });
  context.pokeOutbox();
}

/**
 * Shows how a request stands by one reaction on what asked: the comment, else the issue or pull request
 * itself. A later one takes the place of the earlier.
 */
export async function reactTo(
  context: AppContext,
  ask: Asked & Pick<Ask, 'requestId'>,
  content: ReactionContent,
): Promise<void> {
  const target = subjectOf(ask);
  if (!target) return;
  await wish(context.db, {
    key: reactionKey(ask.requestId),
    kind: 'reaction',
    installationId: ask.installationId,
    repository: repositoryName(ask.event.repository),
    number: ask.thread.number,
    target,
    content: { content },
  });
  context.pokeOutbox();
}

/** Undefined for the text of a review: GitHub has no reactions on it. */
function subjectOf({ event, thread }: Asked): { subject: ReactionSubject; id: string } | undefined {
  const { comment } = event;
  if (comment?.kind === 'comment') return { subject: 'issue_comment', id: comment.id };
  if (comment?.kind === 'review_comment') return { subject: 'review_comment', id: comment.id };
  if (comment) return undefined;
  return { subject: 'issue', id: String(thread.number) };
}
