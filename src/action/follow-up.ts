import { sleep } from '../base/time.ts';
import { isAmbiguous, isClientError, isProblem } from '../client/error.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import { requestId } from '../github/decide/request.ts';
import { patienceMs, type Act } from './act.ts';
import { buildFollowUp, originOf, type Task } from './request-run.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Sends a task to a run as a follow-up and answers the run as it was before. The request's id goes
 * along as `Idempotency-Key`, so that a repeated try adds nothing where the service honours it.
 */
export async function sendFollowUp(act: Act, task: Task, runId: string): Promise<RunRead> {
  const options = { signal: act.signal, deadlineMs: patienceMs(act) };
  const before = await act.client.runs.get(runId, options);
  const message = await buildFollowUp(act, task);
  const { attempt } = act.surroundings.step;
  const id = requestId(originOf(act, task));
  const key = attempt > 1 && isTerminal(before.state) ? `${id}#${attempt}` : id;
  act.runner.state('request-id', key);
  const headers = { 'idempotency-key': key };
  const deadline = performance.now() + options.deadlineMs;
  for (let tries = 0; ; tries += 1) {
    try {
      await act.client.runs.followup(runId, { message }, { ...options, headers });
      return before;
    } catch (error) {
      const again = isClientError(error) && isAmbiguous(error) && !isProblem(error, 'conflict');
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
      if (!again || performance.now() + pause > deadline) throw error;
      await sleep(pause * (0.75 + Math.random() / 2), act.signal);
    }
  }
}
