import { renderHelp, renderProblem } from '../../github/render/answer.ts';
import type { Command, ReadCommand } from '../../github/decide/command.ts';
import { repositoryName, type GithubEvent } from '../../github/read/event.ts';
import { gateFork, pinHead, type Verdict } from '../../github/decide/gate.ts';
import { doesWork, planCommand, type Plan, type ThreadRun } from '../../github/decide/plan.ts';
import { REASONS } from '../../github/decide/reason.ts';
import { isTerminal } from '../../contract/run.ts';
import { requestId, type Origin } from '../../github/decide/request.ts';
import { formatYamlIssue } from '../../base/yaml.ts';
import { CONFIG_PATH, type CustomCommand } from '../config/schema.ts';
import type { AppContext } from '../context.ts';
import { isProblem } from '../../client/error.ts';
import { inertLine } from '../../github/render/inert-line.ts';
import { inert } from '../../github/render/inert.ts';
import { GithubUnreachable, readOutage } from '../inbox/outage.ts';
import {
  rememberRequest,
  requestOfRun,
  settleRequest,
  type StoredRequest,
} from '../store/requests.ts';
import { reactTo, replyTo, type Ask } from './ask.ts';
import { cancelOnCommand } from './cancel-run.ts';
import { commandOfRun } from './command-of-run.ts';
import { createRun, type Work } from './create-run.ts';
import { runOnThread } from './find-thread-run.ts';
import { followUp } from './follow-up.ts';
import { gateCommand } from './gate.ts';
import { refreshRun } from './refresh-run.ts';
import { refuse } from './refuse.ts';
import { reportStatus } from './report-status.ts';
import type { Scene } from './scene.ts';

/** What asked: a line of somebody's text, or an event that the repository's configuration names. */
export interface Asked {
  command: Command;
  trigger: Origin['trigger'];
}

/**
 * Carries one command out and answers its reason code. May be called again after a crash at any
 * point: what was done before is found again and not done twice.
 */
export async function handleCommand(
  context: AppContext,
  scene: Scene,
  { command, trigger }: Asked,
): Promise<string> {
  const { event, thread, installationId } = scene;
  const id = identify(event, trigger, command.index);
  const verb = 'verb' in command ? (command.name ?? command.verb) : 'unreadable';
  const request = await rememberRequest(context.db, {
    id,
    installationId,
    repository: repositoryName(event.repository),
    number: thread.number,
    actor: event.actor?.login ?? '',
    command: verb,
  });
  if (request.outcome !== null) {
    if (request.runId !== null) await refreshRun(context, request.runId);
    return 'duplicate_request';
  }
  const reason = await answerOrExplain(context, scene, { command, trigger }, request);
  await settleRequest(context.db, id, reason);
  const kind = 'verb' in command ? command.verb : verb;
  context.metrics.commands.inc({ command: kind, reason });
  context.log.info({ request: id, command: verb, reason }, 'command handled');
  return reason;
}

/** Events of checks are told apart by the suite, and several triggers of one event by their position. */
function identify(event: GithubEvent, trigger: Origin['trigger'], index: number): string {
  const object = event.checks ? { ...event, thread: undefined } : event;
  const id = requestId({ event: object, trigger, index, head: event.head });
  return trigger === 'command' || index === 1 ? id : `${id}/${index}`;
}

/** What the service refuses for good is told to who asked; everything else is thrown. */
async function answerOrExplain(
  context: AppContext,
  scene: Scene,
  asked: Asked,
  request: StoredRequest,
): Promise<string> {
  try {
    return await answerCommand(context, scene, asked, request);
  } catch (error) {
    if (!isProblem(error) || readOutage(error, Date.now())) throw error;
    const waiting = { ...scene, requestId: request.id };
    await reactTo(context, waiting, 'confused');
    const said = await inert(error.answer.detail ?? error.answer.title, 2000);
    await replyTo(
      context,
      waiting,
      request.id,
      `The run service refused (\`${error.code}\`): ${said}`,
    );
    return 'service_refused';
  }
}

async function answerCommand(
  context: AppContext,
  scene: Scene,
  { command, trigger }: Asked,
  request: StoredRequest,
): Promise<string> {
  const { event, config, github } = scene;
  const custom = customOf(scene, command);
  const verdict = await gateCommand(context, github, event, config, custom);
  const waiting = { ...scene, requestId: request.id };
  if (!verdict.allowed) {
    if ('problem' in command) return 'not_a_command';
    await refuse(context, waiting, verdict);
    return verdict.reason;
  }
  if ('problem' in command) {
    await reactTo(context, waiting, 'confused');
    const text = renderProblem(command.problem, context.settings.phrase);
    await replyTo(context, waiting, request.id, text);
    return command.problem.reason;
  }
  const ask = await pinAsk(context, scene, command, request.id);
  if (typeof ask === 'string') return ask;
  const threadRun = await runOnThread(context, event);
  const plan = planFor(command, threadRun, config['when-busy'], custom);
  const barred = await gateRun(context, scene, plan);
  if (!barred.allowed) {
    await refuse(context, waiting, barred);
    return barred.reason;
  }
  return carryOut(context, ask, plan, { command, trigger, custom, request });
}

function customOf(scene: Scene, command: Command): CustomCommand | undefined {
  if (!('verb' in command) || command.name === undefined) return undefined;
  return scene.config.commands[command.name];
}

/** Reads the head at this moment and holds back work on a fork that nobody vouched for (threats.md G6). */
async function pinAsk(
  context: AppContext,
  scene: Scene,
  command: ReadCommand,
  id: string,
): Promise<Ask | string> {
  const { event, config, github } = scene;
  const ask = { ...scene, requestId: id, actor: event.actor?.login ?? '' };
  if (!doesWork(command.verb)) return { ...ask, head: undefined, base: undefined };
  const pinned = await pinHead(github, event);
  if ('reason' in pinned) throw new GithubUnreachable(pinned.detail, pinned.cause);
  const asked = { sha: command.options.sha, text: command.prompt };
  const fork = gateFork(pinned.head, { allowForks: config['allow-forks'] }, asked);
  if (fork.allowed) return { ...ask, ...pinned };
  await refuse(context, ask, fork);
  return fork.reason;
}

/** Who steers a run, or starts it again, must be one who may start it (threats.md G13). */
async function gateRun(
  context: AppContext,
  { github, event, config }: Scene,
  plan: Plan,
): Promise<Verdict> {
  const open: Verdict = { allowed: true, permission: 'not asked' };
  if (!('runId' in plan) || plan.do === 'status') return open;
  const custom = await commandOfRun(context, config, plan.runId);
  return custom ? gateCommand(context, github, event, config, custom) : open;
}

/** A command of the repository's own brings its own set-up, so it continues a run only while that works. */
function planFor(
  command: ReadCommand,
  threadRun: ThreadRun | undefined,
  whenBusy: 'follow-up' | 'new' | 'skip',
  custom: CustomCommand | undefined,
): Plan {
  const working = threadRun && !isTerminal(threadRun.state) ? threadRun : undefined;
  const { skill } = command.options;
  const words = custom ? command.verb : skill && `Use the skill ${skill}.`;
  const asked = { ...command, prompt: command.prompt || (words ?? '') };
  return planCommand(asked, custom ? working : threadRun, whenBusy);
}

interface Carried {
  command: ReadCommand;
  trigger: Origin['trigger'];
  custom: CustomCommand | undefined;
  request: StoredRequest;
}

async function carryOut(
  context: AppContext,
  ask: Ask,
  plan: Plan,
  { command, trigger, custom, request }: Carried,
): Promise<string> {
  const { options, index, name } = command;
  const work = { custom, name, options, trigger, index };
  switch (plan.do) {
    case 'create':
      return createRun(context, ask, { ...work, instruction: command.prompt }, request);
    case 'retry': {
      const old = await whatWasAsked(context, plan.runId);
      return createRun(context, ask, { ...work, ...old }, request);
    }
    case 'follow_up':
      return tellRun(context, ask, plan, command, custom);
    case 'cancel':
      return cancelOnCommand(context, ask, plan.runId);
    case 'status':
      await reportStatus(context, ask, plan.runId);
      return 'reported_status';
    case 'help':
      await replyTo(context, ask, ask.requestId, helpText(context, ask));
      return 'reported_help';
    case 'refuse':
    case 'skip':
      break;
  }
  await reactTo(context, ask, 'confused');
  await replyTo(context, ask, ask.requestId, sentence(REASONS[plan.reason].text));
  return plan.reason;
}

/** A run gets the text of the repository's own command filled in as a new run would. */
function tellRun(
  context: AppContext,
  ask: Ask,
  plan: Extract<Plan, { do: 'follow_up' }>,
  { prompt }: ReadCommand,
  custom: CustomCommand | undefined,
): Promise<string> {
  if (!custom) return followUp(context, ask, plan);
  const template = custom.prompt ?? `Use the skill ${custom.skill}. {{instruction}}`;
  return followUp(context, ask, { ...plan, message: prompt, template });
}

/** What an earlier run was asked: the very body that was sent, where we sent it. */
async function whatWasAsked(
  context: AppContext,
  runId: string,
): Promise<Pick<Work, 'instruction' | 'again'>> {
  const again = await requestOfRun(context.db, runId);
  if (again) return { instruction: again.prompt ?? '', again };
  return { instruction: (await context.client.runs.get(runId)).prompt ?? '' };
}

function helpText({ settings }: AppContext, { config, broken }: Ask): string {
  const custom = Object.entries(config.commands).map(([name, one]) => ({
    name,
    description: one.description ?? one.prompt?.split('\n', 1)[0] ?? one.skill ?? '',
  }));
  const [fault] = broken;
  const note = fault
    ? `\n\n\`${CONFIG_PATH}\` is not in force: ${inertLine(formatYamlIssue(CONFIG_PATH, fault), 500)}`
    : '';
  return `${renderHelp(settings.phrase, custom)}${note}`;
}

function sentence(text: string): string {
  return `Nothing was started: ${text}.`;
}
