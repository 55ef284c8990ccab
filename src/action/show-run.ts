import { placeName, runCheck, runComment, type Place } from '../commands/run-posts.ts';
import type { RunRead } from '../contract/run.ts';
import { repositoryName } from '../github/read/event.ts';
import { renderCheck } from '../github/render/check.ts';
import { renderComment, type Report } from '../github/render/report.ts';
import type { OwnRun, Step } from './step.ts';

/** What a report shows of a run at this moment, before anything else is known of it. */
export function reportOf(
  { event, settings }: Pick<Step, 'event' | 'settings'>,
  run: RunRead,
): Report {
  const place = placeOf({ event });
  return {
    run,
    thread: place && placeName(place),
    requester: event.actor?.login,
    pullRequests: [],
    finalMessage: undefined,
    unwatched: false,
    notes: [],
    phrase: settings.phrase,
    now: new Date(),
  };
}

/** Brings comment and check of a run up to date. */
export async function showRun(
  step: Pick<Step, 'event' | 'settings' | 'outbox'>,
  report: Report,
  { headSha, mayExist }: Pick<OwnRun, 'headSha' | 'mayExist'>,
): Promise<void> {
  const { outbox, event, settings } = step;
  const place = placeOf(step);
  if (place && settings.report.comment) {
    const post = runComment(report.run, place, await renderComment(report));
    await outbox.put(post, { mayExist });
  }
  const sha = headSha ?? event.checks?.sha;
  if (sha === undefined || !settings.report.check) return;
  const target = { repository: repositoryName(event.repository), headSha: sha };
  const content = await renderCheck(report, settings.checkName);
  await outbox.put(runCheck(report.run, target, content), { mayExist });
}

/** The thread of the event, where it has one. */
export function placeOf({ event }: Pick<Step, 'event'>): Place | undefined {
  const { thread, repository, comment } = event;
  if (!thread) return undefined;
  const replyTo = comment?.replyTo ?? null;
  return { repository: repositoryName(repository), number: thread.number, replyTo };
}
