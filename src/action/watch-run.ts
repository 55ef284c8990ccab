import { formatDuration, sleep } from '../base/time.ts';
import { watchRun } from '../client/watch-run.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import { presentState } from '../github/render/state.ts';
import { info, quote } from './log.ts';
import { bestEffort, patienceMs, type Step } from './step.ts';

/** A follow-up moves an ended run on; a service may take this long to show it. */
const REOPEN_MS = 30_000;

export interface Watch {
  /** Sees each change, the last one too. */
  onChange: (run: RunRead) => Promise<void>;
  /** The run as it was before a follow-up: that ending is not the one waited for. */
  before?: RunRead | undefined;
}

/** Watches a run to its end, with a line for each change of state and each event of its timeline. */
export async function watchToEnd(step: Step, runId: string, watch: Watch): Promise<RunRead> {
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
