import { formatDuration, sleep } from '../base/time.ts';
import { watchRun } from '../client/watch-run.ts';
import type { Handled } from '../commands/face.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import type { Reason } from '../github/decide/reason.ts';
import { presentState } from '../github/render/state.ts';
import { reportOf, showRun, urlsOf } from './comment-and-check.ts';
import { info, quote } from './log.ts';
import { reportEnding } from './report-ending.ts';
import { withOutput } from './run-output.ts';
import { bestEffort, patienceMs, type OwnRun, type Step } from './step-context.ts';
import { endOfRun, endWithout, type Outcome } from './step-outcome.ts';
import { stopWaiting } from './stop-waiting.ts';

/** A follow-up moves an ended run on; a service may take this long to show it. */
const REOPEN_MS = 30_000;

/** Waits for a run's end, shows it meanwhile, and tells how it ended, after what was done for a request. */
export async function waitForRun(
  step: Step,
  own: OwnRun,
  { reason, run: before }: Pick<Handled, 'reason' | 'run'>,
): Promise<Outcome> {
  let last: RunRead | undefined;
  const onChange = async (run: RunRead): Promise<void> => {
    last = run;
    if (!isTerminal(run.state)) await showRun(step, reportOf(step, run), own);
  };
  let outcome: Outcome;
  try {
    outcome = step.settings.wait
      ? await seeToEnd(step, own, { onChange, before })
      : await doNotWait(step, own, reason);
  } catch (error) {
    outcome = await stopWaiting(step, own, { last, error });
  }
  return { ...outcome, ...urlsOf(step, own) };
}

async function seeToEnd(step: Step, own: OwnRun, watch: Watch): Promise<Outcome> {
  const run = await watchToEnd(step, own.runId, watch);
  return withOutput(step, await reportEnding(step, own, run));
}

/** `wait: false`: the report says that nobody watches. */
async function doNotWait(step: Step, own: OwnRun, reason: Reason): Promise<Outcome> {
  const { client, signal, settings, outbox } = step;
  const run = await client.runs.get(own.runId, { signal, deadlineMs: patienceMs(step) });
  const notes = ['This step does not wait for the run: the run goes on by itself.'];
  await showRun(step, { ...reportOf(step, run), unwatched: true, notes }, own);
  await outbox.settle();
  if (isTerminal(run.state)) return endOfRun(run, settings.failOn);
  return { ...endWithout(reason), conclusion: 'neutral', run };
}

interface Watch {
  /** Sees each change, the last one too. */
  onChange: (run: RunRead) => Promise<void>;
  /** The run as it was before a follow-up: that ending is not the one waited for. */
  before?: RunRead | undefined;
}

/** Watches a run to its end, with a line for each change of state and each event of its timeline. */
async function watchToEnd(step: Step, runId: string, watch: Watch): Promise<RunRead> {
  const started = performance.now();
  const log = createLog(step, runId, started);
  for (;;) {
    let last: RunRead | undefined;
    const options = { signal: step.signal, deadlineMs: patienceMs(step) };
    for await (const run of watchRun(step.client, runId, options)) {
      last = run;
      if (isOldEnding(run, watch.before, started)) break;
      await watch.onChange(run);
      await log(run);
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

/** Lines without noise: a state once, a timeline event once. */
function createLog(step: Step, runId: string, started: number): (run: RunRead) => Promise<void> {
  let state: string | undefined;
  const seen = new Set<string>();
  return async (run) => {
    const events = await bestEffort(step, 'The timeline could not be read', async () =>
      step.client.runs.timeline(runId, { signal: step.signal, retry: false }),
    );
    for (const event of events?.events ?? []) {
      if (seen.has(event.event_uuid)) continue;
      seen.add(event.event_uuid);
      quote(`${event.occurred_at} ${event.event_type}`);
    }
    if (run.state === state) return;
    state = run.state;
    const after = formatDuration(performance.now() - started);
    info(`${presentState(run.state).words} (${run.state}) after ${after}`);
  };
}
