import { readFile } from 'node:fs/promises';
import { RunlinkError } from '../base/error.ts';
import { readEvent, type EventReading } from '../github/read/read-event.ts';
import { readRawInputs, readSettings, type Settings } from './settings.ts';
import type { Runner } from './runner.ts';
import { readSurroundings, type Surroundings } from './surroundings.ts';

/** What main.ts hands over of its process. */
export interface Invocation {
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
export async function prepare(step: Invocation): Promise<Prepared> {
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

function maskSecrets({ runner, env }: Invocation, ...inputs: string[]): void {
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

/** The event in our one shape; what a payload does not say the runner's environment does. */
export function readEventOf({ surroundings, payload }: Prepared): EventReading {
  const { eventName, repository, ref, sha } = surroundings;
  return readEvent(eventName, payload, {
    ...(repository && { repository }),
    ...(ref !== undefined && { ref }),
    ...(sha !== undefined && { sha }),
  });
}
