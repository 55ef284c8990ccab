import { warning } from '@actions/core';
import { errorMessage } from '../base/error.ts';
import { findRunByRequest } from '../client/create-run-once.ts';
import { runCheckKey, runCommentKey } from '../commands/run-posts.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import { connectStep } from './connect-step.ts';
import { reportEnding } from './report-ending.ts';
import { tryToCancel } from './stop-waiting.ts';
import { info } from './log.ts';
import { readInputsAndEvent } from './read-inputs-and-event.ts';
import { left } from './left-for-post-step.ts';
import type { OwnRun, Step } from './step-context.ts';

/** The post steps of a cancelled job have five minutes together; ours must not use them up. */
const POST_WITHIN_MS = 120_000;
const CANCEL_WITHIN_MS = 60_000;

/**
 * Finishes what the main step could not. Failures are warnings, because the job has already ended.
 */
export async function runPostStep(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const prepared = await readInputsAndEvent(env);
    if ('ignored' in prepared.reading) return;
    const signal = AbortSignal.timeout(POST_WITHIN_MS);
    await finishRuns(connectStep(prepared, prepared.reading.event, { signal }));
  } catch (error) {
    warning(`The run could not be finished: ${errorMessage(error)}`);
  }
}

/**
 * Finishes runs that the main step left because it was killed or ran out of time: cancels them if
 * the inputs say so, and brings comment and check up to date.
 */
async function finishRuns(step: Step): Promise<void> {
  const known = left('run-id')
    .split(' ')
    .filter((id) => id !== '');
  const sought = await findLeftRun(step, left('request-id'));
  const runIds = [...new Set([...known, ...(sought === undefined ? [] : [sought])])];
  await Promise.all(runIds.map(async (runId) => finishRun(step, runId, runIds.length === 1)));
}

async function finishRun(step: Step, runId: string, isOnly: boolean): Promise<void> {
  const said = left('notes');
  const wasKilled = said === '';
  const isAttached = left('attached') === 'true';
  const onCancel = step.settings.onCancel ?? (isAttached ? 'detach' : 'cancel');
  const isToCancel = wasKilled ? onCancel === 'cancel' : left('cancel') === 'true';
  const notes = wasKilled ? ['The workflow was cancelled.'] : said.split('\n');
  const run = await endedRun(step, runId, isToCancel);
  if ((wasKilled || isToCancel) && !isTerminal(run.state))
    notes.push('The run continues, but this job no longer watches it.');
  const headSha = left('head-sha') || step.event.checks?.sha;
  const own = { runId, requestId: runId, headSha, mayExist: true, isAttached };
  if (isOnly) recallPosts(step, own);
  await reportEnding(step, own, run, { notes, again: !wasKilled });
}

/** Main saves which comment and check belong to a run only for the last run that it showed. */
function recallPosts({ outbox, place }: Step, { runId, headSha }: OwnRun): void {
  const [commentId, checkId] = [left('comment-id'), left('check-id')];
  if (place && commentId) outbox.recall(runCommentKey(runId, place), commentId);
  if (headSha && checkId) outbox.recall(runCheckKey(runId, headSha), checkId);
}

/** Reads the run, after cancelling it if it still works and is to be cancelled. */
async function endedRun(step: Step, runId: string, isToCancel: boolean): Promise<RunRead> {
  const options = { signal: step.signal, deadlineMs: 30_000 };
  const run = await step.client.runs.get(runId, options);
  if (isTerminal(run.state) || !isToCancel) return run;
  const result = await tryToCancel(step, runId, CANCEL_WITHIN_MS);
  info(`Run ${runId}: ${result}.`);
  return step.client.runs.get(runId, options);
}

async function findLeftRun(
  { client, signal }: Step,
  requestId: string,
): Promise<string | undefined> {
  if (requestId === '') return undefined;
  const found = await findRunByRequest(client, { requestId }, { signal });
  return found?.runId;
}
