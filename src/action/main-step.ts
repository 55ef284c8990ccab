import { notice, setFailed, setOutput, summary, warning } from '@actions/core';
import { errorMessage } from '../base/error.ts';
import { failureReason, failureText } from '../commands/failure.ts';
import { connectStep } from './connect-step.ts';
import { Interrupted } from './interrupted.ts';
import { info } from './log.ts';
import { endWithout, type StepOutcome } from './step-outcome.ts';
import { outputsOf } from './output-values.ts';
import { readInputsAndEvent, type Prepared } from './read-inputs-and-event.ts';
import { renderSummary } from './render-summary.ts';
import { leave } from './left-for-post-step.ts';
import { handleEvent } from './handle-event.ts';

/** Logged when some posts are left to the post step. */
const BEHIND = 'GitHub did not take all of this in time.';

/** The main step, from the runner's environment to its outputs. Never throws. */
export async function runMainStep(env: NodeJS.ProcessEnv, interrupt: AbortSignal): Promise<void> {
  let isSummarised = true;
  let outcome: StepOutcome;
  try {
    const prepared = await readInputsAndEvent(env);
    isSummarised = prepared.settings.report.summary;
    outcome = await handleInTime(prepared, interrupt);
  } catch (error) {
    outcome = endWithout(failureReason(error), failureText(error));
  }
  await conclude(outcome, isSummarised);
}

async function handleInTime(prepared: Prepared, interrupt: AbortSignal): Promise<StepOutcome> {
  const { settings, reading } = prepared;
  if ('ignored' in reading) return endWithout(reading.ignored);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Interrupted('timeout')), settings.timeoutMs);
  try {
    const signal = AbortSignal.any([interrupt, timeout.signal]);
    const step = connectStep(prepared, reading.event, { signal, interrupt });
    const outcome = await handleEvent(step);
    await step.outbox.settle();
    if (step.github) info(String(step.github.quota));
    const unfinished = step.outbox.isBehind ? { notes: [BEHIND], cancel: false } : undefined;
    return { ...outcome, unfinished: outcome.unfinished ?? unfinished };
  } finally {
    clearTimeout(timer);
  }
}

async function conclude(outcome: StepOutcome, isSummarised: boolean): Promise<void> {
  const values = outputsOf(outcome, new Date());
  for (const [name, value] of Object.entries(values)) setOutput(name, value);
  if (isSummarised) await summarise(outcome);
  const { unfinished } = outcome;
  if (unfinished) {
    leave('notes', unfinished.notes.join('\n'));
    leave('cancel', String(unfinished.cancel));
  } else {
    leave('finished', 'true');
  }
  const line = `${outcome.message} [${outcome.reason}]`;
  if (outcome.fails) setFailed(line);
  else if (outcome.conclusion === 'skipped') notice(`Skipped: ${line}`);
  else info(line);
}

async function summarise(outcome: StepOutcome): Promise<void> {
  try {
    await summary.addRaw(await renderSummary(outcome, new Date()), true).write();
  } catch (error) {
    warning(`The job summary could not be written: ${errorMessage(error)}`);
  }
}
