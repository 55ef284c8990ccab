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
/** What an agent works on: it is seen at once that this was taken up. */
const WORK: readonly Plan['do'][] = ['create', 'retry', 'follow_up'];

/**
 * Carries out what an event asks for, one after the other, and answers what became of each. May be called
 * again after a crash at any point: what was done before is found again and not done twice. A plan that is
 * given takes the place of what commands come to.
 */
export async function carryOutAll(
  face: Face,
  all: readonly Asked[],
  given?: Plan,
): Promise<Handled[]> {
  const handled: Handled[] = [];
  // Refusing costs two writes at most, however many commands one text holds (threats.md G16).
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
  // What was decided in an earlier try, and perhaps sent, is what is done.
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

/** Carries out what a command comes to. */
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
 * Whoever gave a command waits for an answer, and who labelled or assigned on purpose: somebody below triage did so
 * by the template of an issue. Others asked for nothing.
 */
function isAwaited({ origin: { trigger } }: Asked, { held }: Refusal): boolean {
  if (trigger === 'label' || trigger === 'assignee') return meets(held ?? 'triage', 'triage');
  return trigger === 'command';
}

/** A command that may be carried out, with the head it is about; or why not. */
async function admit(face: Face, asked: Asked): Promise<Task | Refusal | Handled> {
  const { command, origin } = asked;
  const { github, event } = face;
  const setup = face.setup('verb' in command ? command.name : undefined);
  const verdict = await gateActor(github, event, setup.rules);
  if ('problem' in command) {
    // What only looks like a command is somebody's ordinary talk.
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

/** Only of a pull request is a review posted: elsewhere `review` is the first word of what is asked. */
function onThread(command: ReadCommand, { thread }: Face['event']): ReadCommand {
  if (command.verb !== 'review' || thread?.kind === 'pull_request') return command;
  return { ...command, verb: 'run', prompt: `review ${command.prompt}`.trim() };
}

/** Whether nobody asked but a pull request whose newest commit is a run's: runs must not go on by themselves (threats.md G2). */
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
  // Who makes a workflow run again asks for the same, not for more.
  const isOwn = found !== undefined && made === id;
  if (isOwn && command.verb === 'retry') return { do: 'retry', runId: found.runId };
  const plan = planCommand(command, isOwn ? undefined : found, face.whenBusy);
  return (await gateRun(face, plan)) ?? (await gateLimit(face, plan)) ?? plan;
}

function needsRun({ verb }: ReadCommand): boolean {
  return verb !== 'help' && verb !== 'new';
}

/** Who steers a run, or starts it again, must be one who may start it (threats.md G13). */
async function gateRun(face: Face, plan: Plan): Promise<Refusal | undefined> {
  if (!('runId' in plan) || plan.do === 'status') return undefined;
  const name = (await face.remember.bodyOf(plan.runId))?.metadata?.[COMMAND_KEY];
  if (name === undefined) return undefined;
  const verdict = await gateActor(face.github, face.event, face.setup(name).rules);
  return verdict.allowed ? undefined : verdict;
}

/** No more runs than the repository wants. */
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

/** The command `status`: how the run stands at this moment. */
async function reportStatus(face: Face, runId: string): Promise<Handled> {
  const report = await face.report(runId);
  const text = await renderBody({ ...report, finalMessage: undefined }, STATUS_MAX);
  return { reason: 'reported_status', run: report.run, answer: { text } };
}
