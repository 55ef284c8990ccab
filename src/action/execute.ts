import { readFile } from 'node:fs/promises';
import { errorMessage, RunlinkError } from '../base/error.ts';
import { createClient } from '../client/client.ts';
import type { ClientLog } from '../client/send.ts';
import type { GithubEvent } from '../github/event.ts';
import { readEvent } from '../github/read-event.ts';
import { renderSummary } from './render-summary.ts';
import type { Act } from './act.ts';
import { finishAfter, type LeftState } from './after.ts';
import { createGithub } from './github-client.ts';
import { readRawInputs, readSettings, type Settings } from './settings.ts';
import { endWithout, outputsOf, type Outcome } from './outcome.ts';
import { Interrupted } from './interrupted.ts';
import { runAction } from './run-action.ts';
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

/** The whole step: inputs to outputs. Never throws. */
export async function execute(step: Step): Promise<void> {
  step.runner.state('started', 'true');
  let outcome: Outcome;
  let summarised = true;
  try {
    const prepared = await prepare(step);
    summarised = prepared.settings.report.summary;
    outcome = await executeEvent(step, prepared);
  } catch (error) {
    outcome = endUnprepared(error);
  }
  await conclude(step.runner, outcome, summarised);
}

/** The post step: finishes what main could not. Its failures are warnings, the job has ended. */
export async function executePost(step: Step, left: LeftState): Promise<void> {
  if (left.finished === 'true') return;
  try {
    const prepared = await prepare(step);
    const reading = await readPayload(prepared.surroundings);
    if ('ignored' in reading) return;
    const signal = AbortSignal.timeout(POST_WITHIN_MS);
    await finishAfter(createAct(step, prepared, reading.event, signal), left);
  } catch (error) {
    step.runner.warning(`The run could not be finished: ${errorMessage(error)}`);
  }
}

/** A cancelled job's post steps have five minutes together. */
const POST_WITHIN_MS = 120_000;

interface Prepared {
  settings: Settings;
  surroundings: Surroundings;
  started: number;
}

async function prepare(step: Step): Promise<Prepared> {
  const started = performance.now();
  const raw = readRawInputs(step.getInput);
  maskSecrets(step, raw['api-key'], raw['github-token']);
  const surroundings = readSurroundings(step.env);
  const settings = await readSettings(raw, {
    baseUrl: step.env['RUNLINK_BASE_URL'],
    apiKey: step.env['RUNLINK_API_KEY'],
    workspace: surroundings.workspace,
  });
  return { settings, surroundings, started };
}

function endUnprepared(error: unknown): Outcome {
  const isInput = error instanceof RunlinkError && error.code === 'invalid_input';
  const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : '';
  const reason = isInput ? 'invalid_input' : 'internal_error';
  return endWithout(reason, `${errorMessage(error)}${hint}`);
}

function maskSecrets({ runner, env }: Step, ...inputs: string[]): void {
  for (const secret of [...inputs, env['RUNLINK_API_KEY'] ?? '']) {
    if (secret.trim() !== '') runner.secret(secret.trim());
  }
}

async function executeEvent(step: Step, prepared: Prepared): Promise<Outcome> {
  const reading = await readPayload(prepared.surroundings);
  if ('ignored' in reading) return endWithout(reading.ignored);
  const timeout = new AbortController();
  const late = (): void => timeout.abort(new Interrupted('timeout'));
  const timer = setTimeout(late, prepared.settings.timeoutMs);
  const signal = AbortSignal.any([step.interrupt, timeout.signal]);
  try {
    return await runAction(createAct(step, prepared, reading.event, signal));
  } finally {
    clearTimeout(timer);
  }
}

function createAct(
  { runner }: Step,
  { settings, surroundings, started }: Prepared,
  event: GithubEvent,
  signal: AbortSignal,
): Act {
  const debug = (line: string): void => runner.debug(line);
  const { baseUrl, apiKey, githubToken, timeoutMs } = settings;
  const headers = { 'user-agent': 'runlink-action' };
  return {
    runner,
    settings,
    surroundings,
    client: createClient({ baseUrl, apiKey, headers, log: clientLog(debug) }),
    github:
      githubToken === ''
        ? undefined
        : createGithub({ token: githubToken, apiUrl: surroundings.apiUrl, debug }),
    event,
    signal,
    deadline: started + timeoutMs,
  };
}

/** Traffic for step debugging: what was called and how it went, no bodies and no headers. */
function clientLog(debug: (line: string) => void): ClientLog {
  const print = (fields: object, message: string): void =>
    debug(`service ${message} ${JSON.stringify(fields)}`);
  return { debug: print, warn: print };
}

async function readPayload(
  surroundings: Surroundings,
): Promise<{ event: GithubEvent } | { ignored: 'unreadable_payload' | 'unsupported_event' }> {
  const { eventName, eventPath, repository, ref, sha } = surroundings;
  let payload: unknown;
  try {
    payload = JSON.parse(await readFile(eventPath, 'utf8'));
  } catch (error) {
    throw new RunlinkError('invalid_input', `The event at ${eventPath} cannot be read.`, {
      hint: 'Run this as a step of a GitHub workflow.',
      cause: error,
    });
  }
  const reading = readEvent(eventName, payload, {
    ...(repository && { repository }),
    ...(ref !== undefined && { ref }),
    ...(sha !== undefined && { sha }),
  });
  if ('event' in reading) return reading;
  return {
    ignored: reading.ignored === 'unreadable_payload' ? reading.ignored : 'unsupported_event',
  };
}

async function conclude(runner: Runner, outcome: Outcome, summarised: boolean): Promise<void> {
  const values = outputsOf(outcome, new Date());
  for (const [name, value] of Object.entries(values)) runner.output(name, value);
  if (summarised) {
    try {
      await runner.summary(await renderSummary(outcome, new Date()));
    } catch (error) {
      runner.warning(`The job summary could not be written: ${errorMessage(error)}`);
    }
  }
  runner.state('finished', 'true');
  const line = `${outcome.message} [${outcome.reason}]`;
  if (outcome.fails) runner.fail(line);
  else if (outcome.conclusion === 'skipped') runner.notice(`Skipped: ${line}`);
  else runner.info(line);
}
