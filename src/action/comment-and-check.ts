import { EDIT_EVERY_MS, paceOf } from '../commands/progress.ts';
import {
  placeName,
  type Place,
  runCheck,
  runCheckKey,
  runComment,
  runCommentKey,
} from '../commands/run-posts.ts';
import type { RunRead } from '../contract/run.ts';
import { THREAD_ID } from '../github/decide/request.ts';
import { askerName, repositoryName } from '../github/read/event.ts';
import { renderCheck } from '../github/render/check.ts';
import { renderComment, type Report } from '../github/render/report.ts';
import type { StepOutcome } from './step-outcome.ts';
import type { OwnRun, Step } from './step-context.ts';

/** What a report shows of a run before its pull requests or last words were read. */
export function reportOf(step: Step, run: RunRead): Report {
  const { event, settings } = step;
  const place = placeOf(step, run);
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

/**
 * Where a run is shown. Its comment is found by the name that the thread had when it was written.
 */
function placeOf(
  { event: { thread }, place }: Step,
  { metadata = {} }: RunRead,
): Place | undefined {
  const isSame = thread !== undefined && metadata?.[THREAD_ID] === thread.nodeId;
  return place && { ...place, earlier: isSame ? metadata['runlink.thread'] : undefined };
}

/** Updates the comment and the check of a run, and returns the report that they show. */
export async function showRun(
  step: Step,
  { headSha, mayExist }: Pick<OwnRun, 'headSha' | 'mayExist'>,
  run: RunRead,
  known: Partial<Report> = {},
): Promise<Report> {
  const { outbox, event, settings } = step;
  const place = placeOf(step, run);
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

/** The URLs of a run's comment and check. */
export function urlsOf(
  { outbox, place }: Step,
  { runId, headSha }: OwnRun,
): Pick<StepOutcome, 'commentUrl' | 'checkUrl'> {
  return {
    commentUrl: place && outbox.urlOf(runCommentKey(runId, place)),
    checkUrl: headSha === undefined ? undefined : outbox.urlOf(runCheckKey(runId, headSha)),
  };
}
