import { errorMessage, RunlinkError } from '../base/error.ts';
import { connect } from '../client/connect.ts';
import type { ClientLog } from '../client/send.ts';
import type { GithubEvent } from '../github/read/event.ts';
import { readEvent, type EventReading } from '../github/read/read-event.ts';
import { renderSummary } from './render-summary.ts';
import type { Act } from './act.ts';
import { finishAfter, type LeftState } from './after.ts';
import { fetchRequest } from './fetch-request.ts';
import type { EarlyQuestion } from './early.ts';
import { createIdentity } from './identity.ts';
import type { Prepared, Step } from './prepare.ts';
import { endWithout, outputsOf, type Outcome } from './outcome.ts';
import { Interrupted } from './interrupted.ts';
import { runAction } from './run-action.ts';
import type { Runner } from './runner.ts';

/** The whole step from what was prepared, or could not be, to outputs. Never throws. */
export async function execute(
  step: Step,
  prepared: Prepared | { error: unknown },
  early: EarlyQuestion | undefined,
): Promise<void> {
  if ('error' in prepared) {
    await conclude(step.runner, endUnprepared(prepared.error), true);
    return;
  }
  let outcome: Outcome;
  try {
    outcome = await executeEvent(step, prepared, early);
  } catch (error) {
    outcome = endUnprepared(error);
  }
  await conclude(step.runner, outcome, prepared.settings.report.summary);
}

/** The post step: finishes what main could not. Its failures are warnings, the job has ended. */
export async function executePost(
  step: Step,
  prepared: Prepared | { error: unknown },
  left: LeftState,
): Promise<void> {
  try {
    if ('error' in prepared) throw prepared.error;
    const reading = readEventOf(prepared);
    if ('ignored' in reading) return;
    const signal = AbortSignal.timeout(POST_WITHIN_MS);
    await finishAfter(await createAct(step, prepared, reading.event, { signal }), left);
  } catch (error) {
    step.runner.warning(`The run could not be finished: ${errorMessage(error)}`);
  }
}

/** A cancelled job's post steps have five minutes together. */
const POST_WITHIN_MS = 120_000;

function endUnprepared(error: unknown): Outcome {
  const isInput = error instanceof RunlinkError && error.code === 'invalid_input';
  const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : '';
  const reason = isInput ? 'invalid_input' : 'internal_error';
  return endWithout(reason, `${errorMessage(error)}${hint}`);
}

async function executeEvent(
  step: Step,
  prepared: Prepared,
  early: EarlyQuestion | undefined,
): Promise<Outcome> {
  const reading = readEventOf(prepared);
  if ('ignored' in reading) return endWithout(reading.ignored);
  const timeout = new AbortController();
  const late = (): void => timeout.abort(new Interrupted('timeout'));
  const timer = setTimeout(late, prepared.settings.timeoutMs);
  const signal = AbortSignal.any([step.interrupt, timeout.signal]);
  try {
    return await runAction(
      await createAct(step, prepared, reading.event, { signal, interrupt: step.interrupt, early }),
    );
  } finally {
    clearTimeout(timer);
  }
}

function readEventOf({ surroundings, payload }: Prepared): EventReading {
  const { eventName, repository, ref, sha } = surroundings;
  return readEvent(eventName, payload, {
    ...(repository && { repository }),
    ...(ref !== undefined && { ref }),
    ...(sha !== undefined && { sha }),
  });
}

interface Surrounding {
  signal: AbortSignal;
  interrupt?: AbortSignal;
  early?: EarlyQuestion | undefined;
}

async function createAct(
  { runner }: Step,
  { settings, surroundings, started }: Prepared,
  event: GithubEvent,
  { signal, interrupt, early }: Surrounding,
): Promise<Act> {
  const debug = (line: string): void => runner.debug(line);
  const { baseUrl, apiKey, githubToken, timeoutMs } = settings;
  const { apiUrl } = surroundings;
  const headers = { 'user-agent': 'runlink-action' };
  const log = clientLog(debug);
  const client = connect({ baseUrl, apiKey, headers, request: fetchRequest, log });
  const github =
    githubToken === ''
      ? undefined
      : (await import('./github-client.ts')).createGithub({
          token: githubToken,
          apiUrl,
          early,
          interrupt,
          debug,
        });
  const deadline = started + timeoutMs;
  const identity = createIdentity(github);
  const runIds = new Set<string>();
  return {
    runner,
    settings,
    surroundings,
    client,
    github,
    identity,
    event,
    signal,
    runIds,
    deadline,
  };
}

/** Traffic for step debugging: what was called and how it went, no bodies and no headers. */
function clientLog(debug: (line: string) => void): ClientLog {
  const print = (fields: object, message: string): void =>
    debug(`service ${message} ${JSON.stringify(fields)}`);
  return { debug: print, warn: print };
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
