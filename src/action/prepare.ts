import { readFile } from 'node:fs/promises';
import { getInput, setSecret } from '@actions/core';
import { RunlinkError } from '../base/error.ts';
import { parseExactJson } from '../github/read/exact-json.ts';
import { readEvent, type EventReading } from '../github/read/read-event.ts';
import { readRawInputs, readSettings, type Settings } from './settings.ts';
import { readSurroundings, type Surroundings } from './surroundings.ts';

/** A step that may begin: everything it was given is checked, nothing was sent yet. */
export interface Prepared {
  settings: Settings;
  surroundings: Surroundings;
  /** The event in our one shape, or why it starts nothing. */
  reading: EventReading;
  /** On the clock of `performance.now()`. */
  started: number;
}

/** Masks the secrets, checks the inputs, reads the event. Throws `invalid_input`. */
export async function prepare(env: NodeJS.ProcessEnv): Promise<Prepared> {
  const started = performance.now();
  const raw = readRawInputs((name) => getInput(name, { trimWhitespace: false }));
  for (const secret of [raw['api-key'], raw['github-token'], env['RUNLINK_API_KEY'] ?? '']) {
    if (secret.trim() !== '') setSecret(secret.trim());
  }
  const surroundings = readSurroundings(env);
  const settings = await readSettings(raw, {
    baseUrl: env['RUNLINK_BASE_URL'],
    apiKey: env['RUNLINK_API_KEY'],
    workspace: surroundings.workspace,
  });
  return { settings, surroundings, reading: await readEventOf(surroundings), started };
}

/** What a payload does not say the runner's environment does. */
async function readEventOf(surroundings: Surroundings): Promise<EventReading> {
  const { eventName, eventPath, repository, ref, sha } = surroundings;
  return readEvent(eventName, await readPayload(eventPath), {
    ...(repository && { repository }),
    ...(ref !== undefined && { ref }),
    ...(sha !== undefined && { sha }),
  });
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
