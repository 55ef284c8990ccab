import { readFile } from 'node:fs/promises';
import { getInput, setSecret } from '@actions/core';
import { RunlinkError } from '../base/error.ts';
import { parseExactJson } from '../github/read/exact-json.ts';
import { readEvent, type EventReading } from '../github/read/read-event.ts';
import { readRawInputs, readSettings, type Settings } from './read-inputs.ts';
import { readRunnerEnvironment, type RunnerEnvironment } from './runner-environment.ts';

/** A step that is ready to begin: its inputs are checked, and no request was sent yet. */
export interface Prepared {
  settings: Settings;
  runner: RunnerEnvironment;
  /** The event in our own form, or why it starts nothing. */
  reading: EventReading;
  /** On the clock of `performance.now()`. */
  started: number;
}

/** Masks the secrets, checks the inputs and reads the event. Throws `invalid_input`. */
export async function readInputsAndEvent(env: NodeJS.ProcessEnv): Promise<Prepared> {
  const started = performance.now();
  const raw = readRawInputs((name) => getInput(name, { trimWhitespace: false }));
  for (const secret of [raw['api-key'], raw['github-token'], env['RUNLINK_API_KEY'] ?? '']) {
    if (secret.trim() !== '') setSecret(secret.trim());
  }
  const runner = readRunnerEnvironment(env);
  const settings = await readSettings(raw, {
    baseUrl: env['RUNLINK_BASE_URL'],
    apiKey: env['RUNLINK_API_KEY'],
    workspace: runner.workspace,
    canSignIn: runner.tokenPlace !== undefined,
  });
  const { eventName, eventPath, repository, ref, sha } = runner;
  // The runner's environment fills in what the payload leaves out.
  const reading = readEvent(eventName, await readPayload(eventPath), {
    ...(repository && { repository }),
    ...(ref !== undefined && { ref }),
    ...(sha !== undefined && { sha }),
  });
  return { settings, runner, reading, started };
}

async function readPayload(path: string): Promise<unknown> {
  try {
    return parseExactJson(await readFile(path, 'utf8'));
  } catch (error) {
    throw new RunlinkError('invalid_input', `The event at ${path} cannot be read.`, {
      hint: 'Run this as a step of a GitHub workflow.',
      cause: error,
    });
  }
}
