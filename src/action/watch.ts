import { formatDuration, sleep } from '../base/time.ts';
import { watchRun } from '../client/watch-run.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import { presentState } from '../github/render/state.ts';
import { bestEffort, patienceMs, type Act } from './act.ts';

/** A follow-up moves an ended run on; a service may take this long to show it. */
const REOPEN_MS = 30_000;

export interface Watch {
  /** Sees each change, the last one too. */
  onChange: (run: RunRead) => void;
  /** The run as it was before a follow-up: that ending is not the one waited for. */
  before?: RunRead | undefined;
}

/** Watches a run to its end, with a line for each change of state and each event of its timeline. */
export async function watchToEnd(act: Act, runId: string, watch: Watch): Promise<RunRead> {
  const started = performance.now();
  const log = createLog(act, runId, started);
  for (;;) {
    let last: RunRead | undefined;
    const options = { signal: act.signal, deadlineMs: patienceMs(act) };
    for await (const run of watchRun(act.client, runId, options)) {
      last = run;
      if (isOldEnding(run, watch.before, started)) break;
      watch.onChange(run);
      await log(run);
    }
    if (last && isTerminal(last.state) && !isOldEnding(last, watch.before, started)) return last;
    await sleep(1000, act.signal);
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
function createLog(act: Act, runId: string, started: number): (run: RunRead) => Promise<void> {
  let state: string | undefined;
  const seen = new Set<string>();
  return async (run) => {
    const events = await bestEffort(act, 'The timeline could not be read', async () =>
      act.client.runs.timeline(runId, { signal: act.signal, retry: false }),
    );
    for (const event of events?.events ?? []) {
      if (seen.has(event.event_uuid)) continue;
      seen.add(event.event_uuid);
      act.runner.quote(`${event.occurred_at} ${event.event_type}`);
    }
    if (run.state === state) return;
    state = run.state;
    const after = formatDuration(performance.now() - started);
    act.runner.info(`${presentState(run.state).words} (${run.state}) after ${after}`);
  };
}
