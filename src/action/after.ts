import { findRunByRequest } from '../client/create-run-once.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import type { Act } from './act.ts';
import { cancelRun } from './cancel-run.ts';
import { finishRun } from './finish.ts';
import { createPublisher } from './publisher.ts';
import type { StateName } from './runner.ts';

/** Values that main left, as the runner hands them to post. */
export type LeftState = Readonly<Partial<Record<StateName, string>>>;

/** The cancelled job's post steps have five minutes; one of ours should not use them up. */
const CANCEL_WITHIN_MS = 60_000;

/**
 * What main could not finish because it was killed: the run it started is cancelled, if the inputs say
 * so, and comment and check end in the truth.
 */
export async function finishAfter(act: Act, left: LeftState): Promise<void> {
  const runId = left['run-id'] ?? (await findRun(act, left['request-id']));
  if (runId === undefined) return;
  const options = { signal: act.signal, deadlineMs: 30_000 };
  const isAttached = left.attached === 'true';
  const onCancel = act.settings.onCancel ?? (isAttached ? 'detach' : 'cancel');
  let run: RunRead = await act.client.runs.get(runId, options);
  const notes = ['The workflow was cancelled.'];
  if (!isTerminal(run.state) && onCancel === 'cancel') {
    const result = await cancelRun(act.client, runId, CANCEL_WITHIN_MS, act.signal);
    act.runner.info(`Run ${runId}: ${result}.`);
    run = await act.client.runs.get(runId, options);
  }
  if (!isTerminal(run.state)) notes.push('The run goes on unwatched.');
  const sha = left['head-sha'];
  const publisher = createPublisher(act, {
    head: sha ? { sha, ref: '', repository: '', fork: false } : undefined,
    mayExist: true,
    commentId: toId(left['comment-id']),
    checkId: toId(left['check-id']),
    ownLogins: OWN_LOGINS,
  });
  await finishRun(act, run, publisher, { notes, ownLogins: OWN_LOGINS });
}

/** The login that a workflow's own token writes as. */
export const OWN_LOGINS = ['github-actions[bot]'];

async function findRun(act: Act, requestId: string | undefined): Promise<string | undefined> {
  if (!requestId) return undefined;
  const found = await findRunByRequest(act.client, { requestId }, { signal: act.signal });
  return found?.runId;
}

function toId(value: string | undefined): number | undefined {
  return value ? Number(value) : undefined;
}
