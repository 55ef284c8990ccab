import { createRunOnce, findRunByRequest, type CreatedRun } from '../client/create-run-once.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { RunlinkError } from '../base/error.ts';
import { sleep } from '../base/time.ts';
import { isTerminal, type CreateRunRequest } from '../contract/run.ts';
import type { Options } from '../github/decide/command-options.ts';
import { readContext } from '../github/read/context.ts';
import { environmentNamed, environmentOf, isEnvironmentId } from '../commands/environment.ts';
import { repositoryName } from '../github/read/event.ts';
import { renderFollowUp, renderPrompt } from '../github/read/prompt.ts';
import { requestId, requestMetadata, runTitle, type Origin } from '../github/decide/request.ts';
import { bestEffort, patienceMs, type Act, type Pinned } from './act.ts';

/** One piece of work that was asked for. */
export interface Task {
  instruction: string;
  options: Options;
  trigger: Origin['trigger'];
  /** Position of the command in its text. */
  index: number;
  pinned: Pinned;
}

export function originOf(act: Act, task: Task): Origin {
  const { surroundings, settings, event } = act;
  return {
    event,
    trigger: task.trigger,
    index: task.index,
    head: task.pinned.head,
    options: task.options,
    workflow: { ...surroundings.step, key: settings.requestKey },
  };
}

/** The body of POST /agent/runs for a task. */
export async function buildRequest(act: Act, task: Task): Promise<CreateRunRequest> {
  const { settings, event } = act;
  const environment = await chooseEnvironment(act, task);
  const context = await readContext(act.github, event, task.pinned);
  const prompt = await renderPrompt(context, {
    instruction: task.instruction,
    template: settings.template,
    withoutEnvironment: environment === undefined,
  });
  const skill = task.options.skill ?? settings.skill;
  const model = task.options.model ?? settings.model;
  const config = {
    ...settings.config,
    ...(settings.name && { name: settings.name }),
    ...(model && { model_id: model }),
    ...(environment && { environment_id: environment }),
  };
  return {
    prompt,
    title: settings.title || runTitle(task.instruction, event),
    config,
    ...(skill && { skill }),
    ...(settings.agent && { agent_identity_uid: settings.agent }),
    metadata: requestMetadata(originOf(act, task), settings.metadata),
  };
}

/**
 * Named by command or input, set in `config`, else the only one that lists this repository
 * (run-lifecycle.md, "Where a run works").
 */
async function chooseEnvironment(act: Act, task: Task): Promise<string | undefined> {
  const named = task.options.environment ?? act.settings.environment;
  if (isEnvironmentId(named)) return named;
  const configured = act.settings.config.environment_id;
  if (named === '' && configured !== undefined) return configured;
  const list = await bestEffort(act, 'The environments could not be read', async () =>
    act.client.environments.list(
      {},
      { signal: act.signal, deadlineMs: Math.min(20_000, patienceMs(act)) },
    ),
  );
  if (named === '') return list && environmentOf(list.environments, act.event.repository);
  const found = list && environmentNamed(list.environments, named);
  if (found !== undefined) return found;
  throw new RunlinkError('invalid_input', `There is no environment "${named}".`, {
    hint: `Name one that the API key can see, or none to use the one of ${repositoryName(act.event.repository)}.`,
  });
}

/**
 * Starts the run of a task exactly once. A later attempt of the same workflow run joins a run that
 * still works and starts a new one otherwise (run-lifecycle.md, "One request, one run").
 */
export async function startRun(
  act: Act,
  task: Task,
  request: CreateRunRequest,
): Promise<CreatedRun> {
  const first = requestId(originOf(act, task));
  const id = attemptId(act, task);
  const { attempt } = act.surroundings.step;
  const options = { signal: act.signal, deadlineMs: patienceMs(act) };
  for (let earlier = attempt - 1; earlier >= 1; earlier -= 1) {
    const earlierId = earlier > 1 ? `${first}#${earlier}` : first;
    const run = await findRunByRequest(act.client, { requestId: earlierId }, options);
    if (run && !isTerminal(run.state)) return { runId: run.runId, created: false };
    if (run) break;
  }
  act.runner.state('request-id', id);
  try {
    const fresh = task.trigger === 'prompt' && attempt === 1;
    return await createRunOnce(act.client, request, { requestId: id, fresh }, options);
  } catch (error) {
    if (!isProblem(error, 'conflict')) throw error;
    const run = await findRunByRequest(act.client, { requestId: id }, options);
    if (!run) throw error;
    return { runId: run.runId, created: false };
  }
}

/** The request's id, told apart by the attempt of the workflow run. */
function attemptId(act: Act, task: Task): string {
  const { attempt } = act.surroundings.step;
  const id = requestId(originOf(act, task));
  return attempt > 1 ? `${id}#${attempt}` : id;
}

/** The service may still be making the run whose creation we stopped waiting for. */
const SEEK_MS = 2000;
const SEEK_PAUSE_MS = 300;

/** The run that a creation made whose answer we did not wait for, should it turn up soon. */
export async function findStarted(act: Act, task: Task): Promise<string | undefined> {
  const requestId = attemptId(act, task);
  const deadline = performance.now() + SEEK_MS;
  for (;;) {
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    try {
      const options = { retry: false, tryTimeoutMs: left, deadlineMs: left };
      const found = await findRunByRequest(act.client, { requestId }, options);
      if (found) return found.runId;
    } catch (error) {
      if (!isClientError(error)) throw error;
    }
    await sleep(SEEK_PAUSE_MS);
  }
}

/** What a run is told when work on its thread is asked for. */
export async function buildFollowUp(act: Act, task: Task): Promise<string> {
  const context = await readContext(act.github, act.event, task.pinned);
  return renderFollowUp(context, task.instruction);
}
