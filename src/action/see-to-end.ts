import type { Handled } from '../commands/face.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import type { Reason } from '../github/decide/reason.ts';
import { endRun } from './end-run.ts';
import { leaveRun } from './leave-run.ts';
import { endOfRun, endWithout, type Outcome } from './outcome.ts';
import { reportOf, showRun, urlsOf } from './show-run.ts';
import { patienceMs, type OwnRun, type Step } from './step.ts';
import { watchToEnd } from './watch-run.ts';

/**
 * Sees a run to its end, shows it meanwhile, and tells how it ended, after what was done for a request.
 */
export async function seeToEnd(
  step: Step,
  own: OwnRun,
  handled: Pick<Handled, 'reason' | 'run'>,
): Promise<Outcome> {
  const outcome = step.settings.wait
    ? await waitForEnd(step, own, handled.run)
    : await doNotWait(step, own, handled.reason);
  return { ...outcome, ...urlsOf(step, own) };
}

async function waitForEnd(step: Step, own: OwnRun, before: RunRead | undefined): Promise<Outcome> {
  let last: RunRead | undefined;
  const onChange = async (run: RunRead): Promise<void> => {
    last = run;
    if (!isTerminal(run.state)) await showRun(step, reportOf(step, run), own);
  };
  try {
    return await endRun(step, own, await watchToEnd(step, own.runId, { onChange, before }));
  } catch (error) {
    return leaveRun(step, own, { last, error });
  }
}

/** `wait: false`: the report says that nobody watches. */
async function doNotWait(step: Step, own: OwnRun, reason: Reason): Promise<Outcome> {
  const { client, signal, settings, outbox } = step;
  try {
    const run = await client.runs.get(own.runId, { signal, deadlineMs: patienceMs(step) });
    const notes = ['This step does not wait for the run: the run goes on by itself.'];
    await showRun(step, { ...reportOf(step, run), unwatched: true, notes }, own);
    await outbox.settle();
    if (isTerminal(run.state)) return endOfRun(run, settings.failOn);
    return { ...endWithout(reason), conclusion: 'neutral', run };
  } catch (error) {
    return leaveRun(step, own, { last: undefined, error });
  }
}
