import { readFile } from 'node:fs/promises';
import { RunlinkError } from '../base/error.ts';
import { readRawInputs, readSettings, type Settings } from './settings.ts';
import type { Runner } from './runner.ts';
import { readSurroundings, type Surroundings } from './surroundings.ts';

/** What main.ts hands over of its process. */
export interface Step {
  env: NodeJS.ProcessEnv;
  runner: Runner;
  getInput: (name: string) => string;
  /** Aborted with `Interrupted` by the runner's signals. */
  interrupt: AbortSignal;
}

/** A step that may begin: everything it was given is checked, nothing was sent yet. */
export interface Prepared {
  settings: Settings;
  surroundings: Surroundings;
  payload: unknown;
  /** On the clock of `performance.now()`. */
  started: number;
}

/** Masks the secrets, checks the inputs, reads the event. Throws `invalid_input`. */
export async function prepare(step: Step): Promise<Prepared> {
  const started = performance.now();
  const raw = readRawInputs(step.getInput);
  maskSecrets(step, raw['api-key'], raw['github-token']);
  const surroundings = readSurroundings(step.env);
  const settings = await readSettings(raw, {
    baseUrl: step.env['RUNLINK_BASE_URL'],
    apiKey: step.env['RUNLINK_API_KEY'],
    workspace: surroundings.workspace,
  });
  return { settings, surroundings, payload: await readPayload(surroundings.eventPath), started };
}

function maskSecrets({ runner, env }: Step, ...inputs: string[]): void {
  for (const secret of [...inputs, env['RUNLINK_API_KEY'] ?? '']) {
    if (secret.trim() !== '') runner.secret(secret.trim());
  }
}

async function readPayload(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new RunlinkError('invalid_input', `The event at ${path} cannot be read.`, {
      hint: 'Run this as a step of a GitHub workflow.',
      cause: error,
    });
  }
}
