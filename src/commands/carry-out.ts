import type { ReadCommand } from '../github/decide/command.ts';
import { gateActor, pinWork, type Pinned, type Refusal } from '../github/decide/gate.ts';
import { planCommand, type Plan } from '../github/decide/plan.ts';
import { meets } from '../github/read/permission.ts';
import { isRunsCommit } from '../github/read/read-event.ts';
import { renderHelp, renderProblem, renderRefusal } from '../github/render/answer.ts';
import { renderBody } from '../github/render/report.ts';
import { answer, tellRefusal } from './answer.ts';
import { cancelOnCommand } from './cancel.ts';
import type { Asked, Decided, Face, Handled, Task } from './face.ts';
import { failed } from './failure.ts';
import { withFindings } from './fix-findings.ts';
import { followUp, tellOnce } from './follow-up.ts';
import { retryRun } from './retry-run.ts';
import { buildRequest, COMMAND_KEY, startOnce } from './start-run.ts';
import { findThreadRun } from './thread-run.ts';

/** Longest answer to `status`: room for the state, its message and the pull requests. */
const STATUS_MAX = 8000;
/** Plans that give an agent work; taking one up is shown at once. */
const WORK: readonly Plan['do'][] = ['create', 'retry', 'follow_up'];

/**
 * Carries out the commands of an event, one after the other, and returns the outcome of each. May
 * be called again after a crash at any point: what was done is found again and not done twice. A
 * given plan replaces what the commands would do.
 */
export async function carryOutAll(
  face: Face,
  all: readonly Asked[],
  given?: Plan,
): Promise<Handled[]> {
  const handled: Handled[] = [];
  // All refusals together cost two writes at most, however many commands a text holds (threats.md
  // G16).
  let isRefused = false;
  for (const asked of all) {
    const attempt = async (decided: Decided | undefined): Promise<Handled> => {
      const done = await carryOut(face, asked, decided, given).catch((error: unknown) => {
        if (face.triesAgain(error)) throw error;
        return failed(error);
      });
      if ('allowed' in done) {
        if (!isRefused && isAwaited(asked, done)) await tellRefusal(face, done);
        isRefused = true;
        return { reason: done.reason, detail: done.detail };
      }
      if (done.answer) await answer(face, asked, done.answer);
      return done;
    };
    handled.push(await face.remember.once(asked, attempt));
  }
  return handled;
}

async function carryOut(
  face: Face,
  asked: Asked,
  decided: Decided | undefined,
  given: Plan | undefined,
): Promise<Handled | Refusal> {
  const admitted = await admit(face, asked);
  if (!('pinned' in admitted)) return admitted;
  // A decision of an earlier try counts, because its request may have been sent.
  if (decided) {
    return 'start' in decided
      ? startOnce(face, admitted, decided.start)
      : tellOnce(face, admitted, decided.tell);
  }
  const task = await withFindings(face, admitted);
  if (!('pinned' in task)) return task;
  const plan = given ?? (await planTask(face, task));
  return 'allowed' in plan ? plan : carryOutPlan(face, task, plan);
}

/** Carries out what a command was decided to do. */
export async function carryOutPlan(face: Face, task: Task, plan: Plan): Promise<Handled> {
  if (WORK.includes(plan.do)) await answer(face, task, { reaction: 'eyes' });
  switch (plan.do) {
    case 'create':
      return startOnce(face, task, await buildRequest(face, task));
    case 'retry':
      return retryRun(face, task, plan.runId);
    case 'follow_up':
      return followUp(face, task, plan);
    case 'join':
      return join(face, task, plan.runId);
    case 'cancel':
      return cancelOnCommand(face, plan.runId);
    case 'status':
      return reportStatus(face, plan.runId);
    case 'help': {
      const text = `${renderHelp(face.phrase, face.help.custom)}${face.help.note}`;
      return { reason: 'reported_help', answer: { text } };
    }
    case 'refuse':
      break;
  }
  const text = renderRefusal(plan.reason);
  return { reason: plan.reason, answer: { reaction: 'confused', text } };
}

/**
 * Whether somebody waits for an answer: the author of a command, or whoever labelled or assigned on
 * purpose. People without triage permission only label through an issue template, and asked for
 * nothing.
 */
function isAwaited({ origin: { trigger } }: Asked, { held }: Refusal): boolean {
  if (trigger === 'label' || trigger === 'assignee') return meets(held ?? 'triage', 'triage');
  return trigger === 'command';
}

/**
 * Checks whether a command may be carried out. Returns it with the head commit that it is about, or
 * the reason why not.
 */
async function admit(face: Face, asked: Asked): Promise<Task | Refusal | Handled> {
  const { command, origin } = asked;
  const { github, event } = face;
  const setup = face.setup('verb' in command ? command.name : undefined);
  const verdict = await gateActor(github, event, setup.rules);
  if ('problem' in command) {
    // Text that only looks like a command is ordinary talk.
    if (!verdict.allowed) return { reason: 'not_a_command' };
    const { problem } = command;
    const text = renderProblem(problem, face.phrase);
    return { reason: problem.reason, answer: { reaction: 'confused', text } };
  }
  if (!verdict.allowed) return verdict;
  const pinned = await pinWork(github, event, setup, { command, trigger: origin.trigger });
  if ('allowed' in pinned) return pinned;
  return (await isOwnPush(face, asked, pinned))
    ? { reason: 'own_push' }
    : { ...asked, command: onThread(command, event), pinned };
}

/**
 * Reviews are posted on pull requests only; elsewhere `review` is just the first word of the
 * prompt.
 */
function onThread(command: ReadCommand, { thread }: Face['event']): ReadCommand {
  if (command.verb !== 'review' || thread?.kind === 'pull_request') return command;
  return { ...command, verb: 'run', prompt: `review ${command.prompt}`.trim() };
}

/**
 * Whether this was caused only by a run's own push to a pull request: runs must not keep starting
 * each other (threats.md G2).
 */
async function isOwnPush(
  { github, event }: Face,
  { origin }: Asked,
  { head }: Pinned,
): Promise<boolean> {
  const isPush = origin.trigger !== 'command' && event.action === 'synchronize';
  if (!isPush || !head || !github) return false;
  const { owner, name: repo } = event.repository;
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}';
  const { data } = await github.request(route, { owner, repo, ref: head.sha });
  return isRunsCommit(data.commit.message);
}

async function planTask(face: Face, task: Task): Promise<Plan | Refusal> {
  const { command, id } = task;
  const found = needsRun(command) ? await findThreadRun(face) : undefined;
  const [made] = found?.request?.split('#', 1) ?? [];
  // Re-running a workflow repeats its request; it does not make a new one.
  const isOwn = found !== undefined && made === id;
  if (isOwn && command.verb === 'retry') return { do: 'retry', runId: found.runId };
  const plan = planCommand(command, isOwn ? undefined : found, face.whenBusy);
  return (await gateRun(face, plan)) ?? (await gateLimit(face, plan)) ?? plan;
}

function needsRun({ verb }: ReadCommand): boolean {
  return verb !== 'help' && verb !== 'new';
}

/** Whoever steers or restarts a run must be allowed to start it (threats.md G13). */
async function gateRun(face: Face, plan: Plan): Promise<Refusal | undefined> {
  if (!('runId' in plan) || plan.do === 'status') return undefined;
  const name = (await face.remember.bodyOf(plan.runId))?.metadata?.[COMMAND_KEY];
  if (name === undefined) return undefined;
  const verdict = await gateActor(face.github, face.event, face.setup(name).rules);
  return verdict.allowed ? undefined : verdict;
}

/** Refuses a run beyond the repository's limit. */
export async function gateLimit(face: Face, plan: Plan): Promise<Refusal | undefined> {
  const isNew = plan.do === 'create' || plan.do === 'retry';
  if (!isNew || !(await face.remember.isLimitReached())) return undefined;
  return { allowed: false, reason: 'limit_reached', detail: LIMIT_HINT };
}

const LIMIT_HINT = 'It is set by `limits` in `.github/runlink.yml`.';

async function join(face: Face, task: Task, runId: string): Promise<Handled> {
  if (face.rehearse) {
    face.rehearse({ run_id: runId });
    return { reason: 'dry_run' };
  }
  await face.remember.started(task, { runId, isNew: false, body: {} });
  return { reason: 'started', runId, isNew: false, headSha: task.pinned.head?.sha };
}

/** Carries out the command `status`: reports the run's current state. */
async function reportStatus(face: Face, runId: string): Promise<Handled> {
  const report = await face.report(runId);
  const text = await renderBody({ ...report, finalMessage: undefined }, STATUS_MAX);
  return { reason: 'reported_status', run: report.run, answer: { text } };
}
