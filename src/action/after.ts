import { findRunByRequest } from '../client/create-run-once.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import type { Act } from './act.ts';
import { cancelRun } from './cancel-run.ts';
import { finishRun } from './finish.ts';
import { createPublisher, type PublisherStart } from './publisher.ts';
import type { StateName } from './runner.ts';

/** Values that main left, as the runner hands them to post. */
export type LeftState = Readonly<Partial<Record<StateName, string>>>;

/** The cancelled job's post steps have five minutes; one of ours should not use them up. */
const CANCEL_WITHIN_MS = 60_000;

/**
 * What main could not finish because it was killed, or had no time for: the runs it started are cancelled,
 * if the inputs say so, and comment and check end in the truth.
 */
export async function finishAfter(act: Act, left: LeftState): Promise<void> {
  const known = (left['run-id'] ?? '').split(' ').filter((id) => id !== '');
  const sought = await findRun(act, left['request-id']);
  const runIds = [...new Set([...known, ...(sought === undefined ? [] : [sought])])];
  await Promise.all(runIds.map(async (runId) => finishOne(act, runId, left, runIds.length === 1)));
}

async function finishOne(act: Act, runId: string, left: LeftState, isOnly: boolean): Promise<void> {
  const { notes: said } = left;
  const onCancel = act.settings.onCancel ?? (left.attached === 'true' ? 'detach' : 'cancel');
  const isToCancel = said === undefined ? onCancel === 'cancel' : left.cancel === 'true';
  const notes = said === undefined ? ['The workflow was cancelled.'] : said.split('\n');
  const run = await endedRun(act, runId, isToCancel);
  const isNews = said === undefined || isToCancel;
  if (isNews && !isTerminal(run.state)) notes.push('The run goes on unwatched.');
  const publisher = createPublisher(act, publisherStart(left, isOnly));
  await finishRun(act, run, publisher, { notes, again: said !== undefined });
}

/** The run as it is, cancelled first where it works and is to be cancelled. */
async function endedRun(act: Act, runId: string, isToCancel: boolean): Promise<RunRead> {
  const options = { signal: act.signal, deadlineMs: 30_000 };
  const run = await act.client.runs.get(runId, options);
  if (isTerminal(run.state) || !isToCancel) return run;
  const result = await cancelRun(act.client, runId, CANCEL_WITHIN_MS, act.signal);
  act.runner.info(`Run ${runId}: ${result}.`);
  return act.client.runs.get(runId, options);
}

/** Which comment and check are a run's main knows only for the last one it showed. */
function publisherStart(left: LeftState, isOnly: boolean): PublisherStart {
  const sha = left['head-sha'];
  return {
    head: sha ? { sha, ref: '', repository: '', fork: false } : undefined,
    mayExist: true,
    commentId: isOnly ? toId(left['comment-id']) : undefined,
    checkId: isOnly ? toId(left['check-id']) : undefined,
  };
}

async function findRun(act: Act, requestId: string | undefined): Promise<string | undefined> {
  if (!requestId) return undefined;
  const found = await findRunByRequest(act.client, { requestId }, { signal: act.signal });
  return found?.runId;
}

function toId(value: string | undefined): number | undefined {
  return value ? Number(value) : undefined;
}
