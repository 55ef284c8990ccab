import { firstLine } from '../base/error.ts';
import { readRunJson, type RunJson } from '../commands/run-file.ts';
import { OUTPUT_FILE, type OutputSchema } from './output-schema.ts';
import type { Step } from './step-context.ts';
import type { RunRead } from '../contract/run.ts';
import type { StepOutcome } from './step-outcome.ts';

const READ_WITHIN_MS = 60_000;

/**
 * Adds what a successful run left in its `output.json`. The step fails if that is not what was
 * asked for.
 */
export async function withOutput(step: Step, outcome: StepOutcome): Promise<StepOutcome> {
  const { outputSchema } = step.settings;
  const { run } = outcome;
  if (!outputSchema || run?.state !== 'SUCCEEDED') return outcome;
  const left = await readOutput(step, run);
  const fault = await faultOf(left, outputSchema);
  if (fault === undefined) return { ...outcome, output: left && 'exact' in left && left.exact };
  const message = `The run succeeded, but ${fault}`;
  return { ...outcome, reason: 'output_invalid', conclusion: 'failure', fails: true, message };
}

/**
 * Reads the file. The run has ended and is shown as such, so a failure here fails only the step.
 */
async function readOutput({ client, signal }: Step, run: RunRead): Promise<RunJson | undefined> {
  try {
    return await readRunJson(client, run, OUTPUT_FILE, { signal, deadlineMs: READ_WITHIN_MS });
  } catch (error) {
    signal.throwIfAborted();
    return { fault: `${OUTPUT_FILE} could not be read: ${firstLine(error)}` };
  }
}

async function faultOf(
  left: RunJson | undefined,
  schema: OutputSchema,
): Promise<string | undefined> {
  if (left === undefined) return `it left no ${OUTPUT_FILE} in its artifacts`;
  if ('fault' in left) return left.fault;
  const wrong = await schema.fault(left.value);
  return wrong && `${OUTPUT_FILE} is not as output-schema asks, ${wrong}`;
}
