import { RunlinkError } from '../base/error.ts';
import type { CreatedRun } from '../client/create-run-once.ts';
import { isTerminal, type CreateRunRequest, type RunRead } from '../contract/run.ts';
import type { ReadCommand } from '../github/decide/command.ts';
import { planCommand, type Plan, type ThreadRun } from '../github/decide/plan.ts';
import { renderHelp } from '../github/render/answer.ts';
import { reply } from '../github/write/reply.ts';
import { renderBody } from '../github/render/report.ts';
import { requestId } from '../github/decide/request.ts';
import { findThreadRun } from '../commands/thread-run.ts';
import { bestEffort, patienceMs, type Act, type Pinned } from './act.ts';
import { cancelRun } from './cancel-run.ts';
import { finishRun, reportOf } from './finish.ts';
import { sendFollowUp } from './follow-up.ts';
import { Interrupted } from './interrupted.ts';
import { endOfRun, endWithout, type Outcome } from './outcome.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { buildRequest, findStarted, originOf, startRun, type Task } from './request-run.ts';
import { runLookup } from './service.ts';
import { stopRun } from './stop.ts';
import { watchToEnd } from './watch.ts';

/** Longest `status` answer. */
const STATUS_MAX = 6000;
const CANCEL_WITHIN_MS = 30_000;

/** How something ended; or a run that works: `stay` waits for its end. */
export type Performed = Outcome | { stay: () => Promise<Outcome> };

/** Does what a command comes to. */
export async function performCommand(
  act: Act,
  command: ReadCommand,
  pinned: Pinned,
): Promise<Performed> {
  const task: Task = {
    instruction: command.prompt,
    options: command.options,
    trigger: 'command',
    index: command.index,
    pinned,
  };
  const plan = planCommand(command, await runToGoOnWith(act, command, task), act.settings.whenBusy);
  return performPlan(act, plan, task);
}

/**
 * The thread's run, unless this very command made it: whoever runs the workflow again asks for the same,
 * not for more (run-lifecycle.md, "One request, one run").
 */
async function runToGoOnWith(
  act: Act,
  { verb }: ReadCommand,
  task: Task,
): Promise<ThreadRun | undefined> {
  if (verb === 'help' || verb === 'new') return undefined;
  const run = await findThreadRun(runLookup(act), act.event);
  const [made] = run?.request?.split('#', 1) ?? [];
  const isOwn = verb === 'run' && made === requestId(originOf(act, task));
  return isOwn ? undefined : run;
}

async function performPlan(act: Act, plan: Plan, task: Task): Promise<Performed> {
  switch (plan.do) {
    case 'create':
      return createRun(act, { ...task, instruction: instructionOf(act, plan.prompt) });
    case 'follow_up':
      return followUp(act, { ...task, instruction: plan.message }, plan.runId);
    case 'retry':
      return retryRun(act, task, plan.runId);
    case 'cancel':
      return cancelOnCommand(act, plan.runId);
    case 'status':
      return answerStatus(act, plan.runId);
    case 'help':
      return answer(act, renderHelp(act.settings.phrase), endWithout('reported_help'));
    case 'refuse':
    case 'skip': {
      const outcome = endWithout(plan.reason);
      return answer(act, `Nothing was done: ${outcome.message}`, outcome);
    }
    default:
      throw new RunlinkError('internal_error', 'This plan is not known.');
  }
}

/** What is configured comes before what the person asks. */
function instructionOf(act: Act, prompt: string): string {
  return [act.settings.instruction, prompt].filter((text) => text !== '').join('\n\n');
}

async function answer(act: Act, text: string, outcome: Outcome): Promise<Outcome> {
  const { github, event } = act;
  act.runner.info(text);
  if (!github || act.settings.dryRun) return outcome;
  const url = await bestEffort(act, 'The answer could not be posted', async () =>
    reply(github, event, text),
  );
  return { ...outcome, commentUrl: url };
}

async function answerStatus(act: Act, runId: string): Promise<Outcome> {
  const run = await act.client.runs.get(runId, { signal: act.signal, deadlineMs: patienceMs(act) });
  const text = await renderBody(reportOf(act, run), STATUS_MAX);
  return answer(act, text, { ...endWithout('reported_status'), run });
}

async function cancelOnCommand(act: Act, runId: string): Promise<Outcome> {
  if (act.settings.dryRun) return show(act, { run_id: runId, cancel: true });
  const result = await cancelRun(act.client, runId, CANCEL_WITHIN_MS, act.signal);
  const run = await act.client.runs.get(runId, { signal: act.signal, deadlineMs: patienceMs(act) });
  const reasons = {
    cancelled: 'cancel_requested',
    ended: 'run_ended',
    not_cancellable: 'not_cancellable',
    gone: 'no_run',
    failed: 'service_unreachable',
  } as const;
  const outcome = { ...endWithout(reasons[result]), run };
  return answer(
    act,
    `${outcome.message.charAt(0).toUpperCase()}${outcome.message.slice(1)}`,
    outcome,
  );
}

/** Starts a run for a task. */
export async function createRun(act: Act, task: Task): Promise<Performed> {
  return startRequested(act, task, await buildRequest(act, task));
}

/** `dry-run`: what would be sent, and nothing is. */
function show(act: Act, request: object): Outcome {
  act.runner.quote(JSON.stringify(request, null, 2));
  return endWithout('dry_run');
}

async function startRequested(act: Act, task: Task, request: CreateRunRequest): Promise<Performed> {
  if (act.settings.dryRun) return show(act, request);
  let started: CreatedRun;
  try {
    started = await startRun(act, task, request);
  } catch (error) {
    // What was sent when the stop came may have started a run all the same.
    const runId = error instanceof Interrupted ? await findStarted(act, task) : undefined;
    if (runId === undefined) throw error;
    started = { runId, created: true };
  }
  const { runId, created } = started;
  act.runner.info(created ? `Run ${runId} is started.` : `Run ${runId} has this request already.`);
  return begin(act, runId, task.pinned, { isAttached: false, mayExist: !created });
}

/** A new run of what the old one was asked, on the old one's configuration. */
async function retryRun(act: Act, task: Task, runId: string): Promise<Performed> {
  const old = await act.client.runs.get(runId, { signal: act.signal, deadlineMs: patienceMs(act) });
  const request = await buildRequest(act, { ...task, instruction: old.prompt ?? '' });
  const environment = old.agent_config?.environment_id;
  const retried = {
    ...request,
    prompt: old.prompt ?? request.prompt,
    ...(old.title ? { title: old.title } : {}),
    config: { ...request.config, ...(environment ? { environment_id: environment } : {}) },
  };
  return startRequested(act, task, retried);
}

async function followUp(act: Act, task: Task, runId: string): Promise<Performed> {
  if (act.settings.dryRun) return show(act, { run_id: runId, message: task.instruction });
  const before = await sendFollowUp(act, task, runId);
  act.runner.info(`Run ${runId} was told.`);
  return begin(act, runId, task.pinned, { isAttached: false, mayExist: true, before });
}

/** Attaches to the run of input `run-id`; a prompt is sent to it. */
export async function attach(act: Act, task: Task): Promise<Performed> {
  const { runId } = act.settings;
  if (act.settings.dryRun) return show(act, { run_id: runId, message: task.instruction });
  act.runner.state('attached', 'true');
  const before = task.instruction === '' ? undefined : await sendFollowUp(act, task, runId);
  return begin(act, runId, task.pinned, { isAttached: true, mayExist: true, before });
}

interface Stay {
  isAttached: boolean;
  mayExist: boolean;
  before?: RunRead | undefined;
}

/** The run is known from here on to the post step, whatever happens. */
function begin(act: Act, runId: string, pinned: Pinned, stay: Stay): Performed {
  act.runIds.add(runId);
  act.runner.state('run-id', [...act.runIds].join(' '));
  act.runner.state('request-id', '');
  act.runner.output('run-id', runId);
  if (pinned.head) act.runner.state('head-sha', pinned.head.sha);
  return { stay: async () => stayWith(act, runId, pinned, stay) };
}

async function stayWith(act: Act, runId: string, pinned: Pinned, stay: Stay): Promise<Outcome> {
  const publisher = createPublisher(act, {
    head: pinned.head,
    mayExist: stay.mayExist,
  });
  let last: RunRead | undefined;
  try {
    if (!act.settings.wait) return await leave(act, runId, publisher);
    const onChange = (run: RunRead): void => {
      last = run;
      if (!isTerminal(run.state)) publisher.show(reportOf(act, run));
    };
    const run = await watchToEnd(act, runId, { onChange, before: stay.before });
    return await finishRun(act, run, publisher);
  } catch (error) {
    return await stopRun(act, { runId, last, publisher, isAttached: stay.isAttached, error });
  }
}

/** `wait: false`: the report says that nobody watches. */
async function leave(act: Act, runId: string, publisher: Publisher): Promise<Outcome> {
  const run = await act.client.runs.get(runId, { signal: act.signal, deadlineMs: patienceMs(act) });
  publisher.show({
    ...reportOf(act, run),
    unwatched: true,
    notes: ['This step does not wait for the run: the run goes on by itself.'],
  });
  await publisher.settle();
  const urls = { commentUrl: publisher.commentUrl, checkUrl: publisher.checkUrl };
  if (isTerminal(run.state)) return { ...endOfRun(run, act.settings.failOn), ...urls };
  return { ...endWithout('started'), conclusion: 'neutral', run, ...urls };
}
