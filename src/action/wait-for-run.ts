import { sleep } from '../base/time.ts';
import { feedRun, type News } from '../client/feed-run.ts';
import type { Handled } from '../commands/face.ts';
import { EDIT_EVERY_MS } from '../commands/progress.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import type { Reason } from '../github/decide/reason.ts';
import { showRun, urlsOf } from './comment-and-check.ts';
import { reportEnding } from './report-ending.ts';
import { withOutput } from './run-output.ts';
import { patienceMs, type OwnRun, type Step } from './step-context.ts';
import { endOfRun, endWithout, type StepOutcome } from './step-outcome.ts';
import { StepLog } from './step-log.ts';
import { stopWaiting } from './stop-waiting.ts';

/** How long a service may take to show that a follow-up reopened an ended run. */
const REOPEN_MS = 30_000;
/** Pause between two reads of a growing log; nobody reads a step's log faster. */
const GATHER_MS = 2000;

/** Waits for a run's end while showing its progress, and returns the step's outcome. */
export async function waitForRun(
  step: Step,
  own: OwnRun,
  { reason, run: before }: Pick<Handled, 'reason' | 'run'>,
): Promise<StepOutcome> {
  let last: RunRead | undefined;
  const log = new StepLog(step.settings, before);
  const show = async (): Promise<void> => {
    if (!last || isTerminal(last.state)) return;
    await showRun(step, own, last, { progress: log.progress(last) });
  };
  const onNews = async (news: News): Promise<void> => {
    last = news.run;
    log.add(news);
    await show();
  };
  // Elapsed time is shown even without news; a failed update is made up for by the next.
  const ticking = setInterval(() => void show().catch(() => {}), EDIT_EVERY_MS);
  let outcome: StepOutcome;
  try {
    outcome = step.settings.wait
      ? await seeToEnd(step, own, { onNews, before })
      : await doNotWait(step, own, reason);
  } catch (error) {
    clearInterval(ticking);
    outcome = await stopWaiting(step, own, { last, error });
  } finally {
    clearInterval(ticking);
  }
  return { ...outcome, ...urlsOf(step, own) };
}

async function seeToEnd(step: Step, own: OwnRun, watch: Watch): Promise<StepOutcome> {
  const run = await watchToEnd(step, own.runId, watch);
  return withOutput(step, await reportEnding(step, own, run));
}

/** Input `wait: false`: reports that nobody watches the run. */
async function doNotWait(step: Step, own: OwnRun, reason: Reason): Promise<StepOutcome> {
  const { client, signal, settings, outbox } = step;
  const run = await client.runs.get(own.runId, { signal, deadlineMs: patienceMs(step) });
  const notes = ['This step does not wait for the run: the run goes on by itself.'];
  await showRun(step, own, run, { unwatched: true, notes });
  await outbox.settle();
  if (isTerminal(run.state)) return endOfRun(run, settings.failOn);
  return { ...endWithout(reason), conclusion: 'neutral', run };
}

interface Watch {
  /** Called for each change, the last one included. */
  onNews: (news: News) => Promise<void>;
  /** The run as it was before a follow-up, so that its earlier end is not taken for the new one. */
  before?: RunRead | undefined;
}

/** Watches a run to its end. */
async function watchToEnd(step: Step, runId: string, watch: Watch): Promise<RunRead> {
  const started = performance.now();
  for (;;) {
    let last: RunRead | undefined;
    const { signal } = step;
    const options = { signal, deadlineMs: patienceMs(step), gatherMs: GATHER_MS };
    for await (const news of feedRun(step.client, runId, options)) {
      last = news.run;
      if (isOldEnding(last, watch.before, started)) break;
      await watch.onNews(news);
    }
    if (last && isTerminal(last.state) && !isOldEnding(last, watch.before, started)) return last;
    await sleep(1000, step.signal);
  }
}

function isOldEnding(run: RunRead, before: RunRead | undefined, started: number): boolean {
  return (
    before !== undefined &&
    isTerminal(run.state) &&
    run.state === before.state &&
    run.finished_at === before.finished_at &&
    performance.now() - started < REOPEN_MS
  );
}
