import type { RunRead } from '../contract/run.ts';
import type { CheckContent } from '../github/render/check.ts';
import { runMarker } from '../github/render/marker.ts';
import { mentionMarker, renderMention, type Report } from '../github/render/report.ts';
import type { PostOf } from '../github/write/post.ts';

/** A thread that shows a run. */
export interface Place {
  /** `owner/name`. */
  repository: string;
  number: number;
  /** Review comment in whose thread the run was asked for. */
  replyTo: string | null;
  /** `owner/name#12` when the run was asked for, if its repository was renamed since. */
  earlier?: string | undefined;
}

/** `owner/name#12`, and the review thread in it. */
export function placeName({ repository, number, replyTo, earlier }: Place): string {
  const name = earlier ?? `${repository}#${number}`;
  return replyTo === null ? name : `${name}/r${replyTo}`;
}

/** The one comment about a run on a thread. */
export function runComment(
  { run_id: runId }: Pick<RunRead, 'run_id'>,
  place: Place,
  body: string,
): PostOf<'comment'> {
  const thread = placeName(place);
  const marker = runMarker({ runId, thread });
  return comment(runCommentKey(runId, place), marker, place, body);
}

export function runCommentKey(runId: string, place: Place): string {
  return `comment:${runId}:${placeName({ ...place, earlier: undefined })}`;
}

/** The one check of a run on a commit. */
export function runCheck(
  { run_id: runId }: Pick<RunRead, 'run_id'>,
  { repository, headSha }: { repository: string; headSha: string },
  content: CheckContent,
): PostOf<'check'> {
  const target = { headSha, externalId: runId };
  return {
    key: runCheckKey(runId, headSha),
    kind: 'check',
    repository,
    number: 0,
    target,
    content,
  };
}

export function runCheckKey(runId: string, headSha: string): string {
  return `check:${runId}:${headSha}`;
}

/**
 * The reply that mentions the requester when a run has ended, because edits of a comment notify
 * nobody.
 */
export async function endMention(
  report: Report,
  place: Place,
  commentUrl: string | undefined,
): Promise<PostOf<'comment'>> {
  const marker = mentionMarker(report);
  return comment(`mention:${marker}`, marker, place, await renderMention(report, commentUrl));
}

function comment(
  key: string,
  marker: string,
  { repository, number, replyTo }: Place,
  body: string,
): PostOf<'comment'> {
  const target = { marker, replyTo };
  return { key, kind: 'comment', repository, number, target, content: { body } };
}
