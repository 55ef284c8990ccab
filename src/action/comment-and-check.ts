import { EDIT_EVERY_MS, paceOf } from '../commands/progress.ts';
import {
  placeName,
  runCheck,
  runCheckKey,
  runComment,
  runCommentKey,
} from '../commands/run-posts.ts';
import type { RunRead } from '../contract/run.ts';
import { askerName, repositoryName } from '../github/read/event.ts';
import { renderCheck } from '../github/render/check.ts';
import { renderComment, type Report } from '../github/render/report.ts';
import type { StepOutcome } from './step-outcome.ts';
import type { OwnRun, Step } from './step-context.ts';

/** What a report shows of a run at this moment, before anything else is known of it. */
export function reportOf({ event, place, settings }: Step, run: RunRead): Report {
  return {
    run,
    thread: place && placeName(place),
    requester: askerName(event),
    pullRequests: [],
    finalMessage: undefined,
    unwatched: false,
    notes: [],
    phrase: settings.phrase,
    now: new Date(),
  };
}

/** Brings comment and check of a run up to date, with what else is known of it; answers what they show. */
export async function showRun(
  step: Step,
  { headSha, mayExist }: Pick<OwnRun, 'headSha' | 'mayExist'>,
  run: RunRead,
  known: Partial<Report> = {},
): Promise<Report> {
  const { outbox, event, place, settings } = step;
  const report = { ...reportOf(step, run), ...known };
  if (place && settings.report.comment) {
    const post = runComment(report.run, place, await renderComment(report));
    await outbox.put(post, { mayExist, pace: paceOf(report, EDIT_EVERY_MS) });
  }
  if (headSha === undefined || !settings.report.check) return report;
  const target = { repository: repositoryName(event.repository), headSha };
  const content = await renderCheck(report, settings.checkName);
  await outbox.put(runCheck(report.run, target, content), { mayExist });
  return report;
}

/** Where comment and check of a run stand. */
export function urlsOf(
  { outbox, place }: Step,
  { runId, headSha }: OwnRun,
): Pick<StepOutcome, 'commentUrl' | 'checkUrl'> {
  return {
    commentUrl: place && outbox.urlOf(runCommentKey(runId, place)),
    checkUrl: headSha === undefined ? undefined : outbox.urlOf(runCheckKey(runId, headSha)),
  };
}
