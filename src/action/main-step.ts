import { errorMessage } from '../base/error.ts';
import { failureReason, failureText } from '../commands/failure.ts';
import { createStep } from './create-step.ts';
import type { EarlyQuestion } from './early.ts';
import { Interrupted } from './interrupted.ts';
import { endWithout, outputsOf, type Outcome } from './outcome.ts';
import { readEventOf, type Invocation, type Prepared } from './prepare.ts';
import { renderSummary } from './render-summary.ts';
import type { Runner } from './runner.ts';
import { takeUp } from './take-up.ts';

/** The main step from what was prepared, or could not be, to its outputs. Never throws. */
export async function runMainStep(
  invocation: Invocation,
  prepared: Prepared | { error: unknown },
  early: EarlyQuestion | undefined,
): Promise<void> {
  const { runner } = invocation;
  if ('error' in prepared) {
    await conclude(runner, endUnprepared(prepared.error), true);
    return;
  }
  const outcome = await takeUpInTime(invocation, prepared, early).catch(endUnprepared);
  await conclude(runner, outcome, prepared.settings.report.summary);
}

async function takeUpInTime(
  { runner, interrupt }: Invocation,
  prepared: Prepared,
  early: EarlyQuestion | undefined,
): Promise<Outcome> {
  const reading = readEventOf(prepared);
  if ('ignored' in reading) return endWithout(reading.ignored);
  const timeout = new AbortController();
  const late = (): void => timeout.abort(new Interrupted('timeout'));
  const timer = setTimeout(late, prepared.settings.timeoutMs);
  const signal = AbortSignal.any([interrupt, timeout.signal]);
  try {
    const step = await createStep(runner, prepared, reading.event, { signal, interrupt, early });
    const outcome = await takeUp(step);
    await step.outbox.settle();
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}

function endUnprepared(error: unknown): Outcome {
  return endWithout(failureReason(error), failureText(error));
}

async function conclude(runner: Runner, outcome: Outcome, summarised: boolean): Promise<void> {
  const values = outputsOf(outcome, new Date());
  for (const [name, value] of Object.entries(values)) runner.output(name, value);
  if (summarised) {
    try {
      runner.summary(await renderSummary(outcome, new Date()));
    } catch (error) {
      runner.warning(`The job summary could not be written: ${errorMessage(error)}`);
    }
  }
  const { unfinished } = outcome;
  if (unfinished) {
    runner.state('notes', unfinished.notes.join('\n'));
    runner.state('cancel', String(unfinished.cancel));
  } else {
    runner.state('finished', 'true');
  }
  const line = `${outcome.message} [${outcome.reason}]`;
  if (outcome.fails) runner.fail(line);
  else if (outcome.conclusion === 'skipped') runner.notice(`Skipped: ${line}`);
  else runner.info(line);
}
