import { createRunOnce, findRunByRequest } from '../client/create-run-once.ts';
import { isProblem } from '../client/error.ts';
import { isTerminal, type CreateRunRequest } from '../contract/run.ts';
import { requestMetadata, runTitle } from '../github/decide/request.ts';
import { readContext, type ContextWanted, type RequestContext } from '../github/read/context.ts';
import { readGithubFailure } from '../github/read/github-failure.ts';
import { readImages } from '../github/read/images.ts';
import { renderPrompt } from '../github/read/prompt.ts';
import { chooseEnvironment } from './environment.ts';
import type { Face, Handled, Setup, Task } from './face.ts';
import { failureText } from './failure.ts';
import { askForReview } from './review-skill.ts';

/** Long, because a service may read a repository's skills first. */
const CREATE_WITHIN_MS = 20_000;
/**
 * If the service cannot filter by metadata, runs are searched from this long before the first try,
 * because clocks differ.
 */
const CLOCKS_DIFFER_MS = 15 * 60_000;
/** Metadata of runs that one of the repository's own commands started: the command's name. */
export const COMMAND_KEY = 'runlink.command';

/**
 * Starts the run of a request exactly once: what will be sent is fixed and remembered first, and if
 * it may have been sent before, the run is searched first (run-lifecycle.md, "One request, one
 * run"). A later attempt of the same workflow run joins a run that still works, and starts a new
 * one otherwise.
 */
export async function startOnce(face: Face, task: Task, body: CreateRunRequest): Promise<Handled> {
  if (face.rehearse) {
    const { attachments, ...rest } = body;
    const names = attachments?.map(({ file_name: name }) => name);
    face.rehearse({ ...rest, ...(names && { attachments: names }) });
    return { reason: 'dry_run' };
  }
  const working = await earlierRun(face, task);
  const { runId, created } =
    working === undefined ? await createOnce(face, task, body) : { runId: working, created: false };
  await face.remember.started(task, { runId, isNew: created, body });
  return { reason: 'started', runId, isNew: created, headSha: task.pinned.head?.sha };
}

/** The request to the service for a command that starts a run. */
export async function buildRequest(face: Face, task: Task): Promise<CreateRunRequest> {
  const { command, pinned } = task;
  const setup = face.setup(command.name);
  const { title, agent, config } = setup;
  const { environment, model, skill } = { ...chosen(setup), ...chosen(command.options) };
  const environmentId = await chooseEnvironment(face, environment);
  // Configured text comes before the person's own.
  const isReview = command.verb === 'review';
  const words = isReview ? askForReview(command.prompt, skill !== undefined) : command.prompt;
  const asked = [setup.instruction, words].filter((text) => text !== '').join('\n\n');
  const [context, images] = await Promise.all([
    contextOf(face, pinned),
    readImages(face.github, face.event, { orLater: orLater(face) }),
  ]);
  const prompt = await renderPrompt(context, {
    instruction: asked,
    template: command.verb === 'custom' ? withContext(setup.template) : setup.template,
    withoutEnvironment: environmentId === undefined,
    stacks: stacks(setup, task),
    images: images.lines,
  });
  return {
    prompt: withClosing(prompt, setup),
    title:
      title ||
      runTitle(isReview ? reviewTitle(face) : asked || (setup.description ?? ''), face.event),
    config: {
      ...config,
      ...(model !== undefined && { model_id: model }),
      ...(environmentId !== undefined && { environment_id: environmentId }),
    },
    ...(images.attachments.length > 0 && { attachments: images.attachments }),
    ...(skill !== undefined && { skill }),
    ...(agent !== undefined && { agent_identity_uid: agent }),
    metadata: taskMetadata(face, task),
  };
}

/**
 * Reads the context of a task. If the command will be retried anyway, GitHub's limits are thrown,
 * so that a run never misses context because of them; other failures are noted in the prompt, with
 * their cause.
 */
export async function contextOf(
  { github, event, triesAgain, warn }: Face,
  pinned: Task['pinned'],
  wanted: ContextWanted = {},
): Promise<RequestContext> {
  return readContext(github, event, pinned, {
    ...wanted,
    orLater: orLater({ triesAgain }),
    onMissing: (what, error) => warn(`The run is not told ${what}`, failureText(error)),
  });
}

/** Throws limits of GitHub where the whole command is retried later. */
export function orLater({ triesAgain }: Pick<Face, 'triesAgain'>): (error: unknown) => boolean {
  return (error) => readGithubFailure(error, Date.now()).kind === 'limit' && triesAgain(error);
}

function reviewTitle({ event: { thread } }: Face): string {
  return `Review ${thread?.title ?? ''}`.trim();
}

export function withClosing(text: string, { closing }: Pick<Setup, 'closing'>): string {
  return closing === undefined ? text : `${text}\n\n${closing}`;
}

/** The request's id as it is sent, which differs in each attempt of the workflow run. */
export function attemptId({ id, attempt }: Pick<Task, 'id' | 'attempt'>): string {
  return attempt > 1 ? `${id}#${attempt}` : id;
}

/** The metadata of a task's run. */
export function taskMetadata(face: Face, task: Task): Record<string, string> {
  const { name } = task.command;
  const setup = face.setup(name);
  const own = {
    ...setup.metadata,
    ...(name !== undefined && { [COMMAND_KEY]: name }),
    ...(setup.closesIssue && closing(face)),
    ...(task.pinned.head && stacks(setup, task) && { 'runlink.on_pull_request': 'stack' }),
  };
  const pairs = requestMetadata({ ...task.origin, head: task.pinned.head }, own);
  return { ...pairs, 'runlink.request': task.id };
}

/**
 * Our own worker writes it into the pull request, which then closes the issue (github.md, "Links").
 */
function closing({ event: { thread } }: Face): Record<string, string> {
  return thread?.kind === 'issue' ? { 'runlink.closes': String(thread.number) } : {};
}

function stacks({ onPullRequest }: Setup, { command }: Task): boolean {
  return command.options.stack === true || onPullRequest === 'stack';
}

async function earlierRun(face: Face, { id, attempt }: Task): Promise<string | undefined> {
  for (let earlier = attempt - 1; earlier >= 1; earlier -= 1) {
    const requestId = attemptId({ id, attempt: earlier });
    const options = face.patience(CREATE_WITHIN_MS);
    const run = await findRunByRequest(face.service, { requestId }, options);
    if (run) return isTerminal(run.state) ? undefined : run.runId;
  }
  return undefined;
}

async function createOnce(
  face: Face,
  task: Task,
  start: CreateRunRequest,
): Promise<{ runId: string; created: boolean }> {
  const { decided, tried } = await face.remember.decide(task, { start });
  const since = tried instanceof Date ? new Date(tried.getTime() - CLOCKS_DIFFER_MS) : undefined;
  const identity = { requestId: attemptId(task), fresh: tried === false, ...(since && { since }) };
  const options = face.patience(CREATE_WITHIN_MS);
  try {
    const fixed = 'start' in decided ? decided.start : start;
    return await createRunOnce(face.service, fixed, identity, options);
  } catch (error) {
    const run = isProblem(error, 'conflict')
      ? await findRunByRequest(face.service, identity, options)
      : undefined;
    if (!run) throw error;
    return { runId: run.runId, created: false };
  }
}

/** The run's options: those of the command override the configured ones. */
function chosen(
  from: Pick<Setup, 'environment' | 'model' | 'skill'>,
): Pick<Setup, 'environment' | 'model' | 'skill'> {
  const { environment, model, skill } = from;
  return {
    ...(environment !== undefined && { environment }),
    ...(model !== undefined && { model }),
    ...(skill !== undefined && { skill }),
  };
}

/**
 * A template of the repository's own command always gets the task's context, even if its author
 * left the place out.
 */
function withContext(template: string | undefined): string | undefined {
  if (template === undefined || /\{\{\s*context\s*\}\}/.test(template)) return template;
  return `${template}\n\n{{context}}`;
}
