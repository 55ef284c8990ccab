import { errorMessage, RunlinkError } from '../base/error.ts';
import { renderProblem, renderRefusal } from '../github/render/answer.ts';
import type { Command } from '../github/decide/command.ts';
import { threadName, sameName } from '../github/read/event.ts';
import {
  gateActor,
  gateFork,
  pinHead,
  type GateRules,
  type Refusal,
} from '../github/decide/gate.ts';
import { noteMarker } from '../github/render/marker.ts';
import { doesWork } from '../github/decide/plan.ts';
import { react, reply } from '../github/write/reply.ts';
import { REASONS } from '../github/decide/reason.ts';
import { findTrigger, type Trigger } from '../github/decide/trigger.ts';
import { listComments } from '../github/write/upsert.ts';
import { hasMarker } from '../github/render/marker.ts';
import { bestEffort, type Act, type Pinned } from './act.ts';
import { attach, createRun, performCommand, type Performed } from './perform.ts';
import { endWithout, type Outcome } from './outcome.ts';
import type { Task } from './request-run.ts';
import { WORKFLOW_LOGIN } from './identity.ts';
import { failureReason } from './stop.ts';
import { Interrupted } from './interrupted.ts';

/** From event to outcome. Throws nothing that has a reason. */
export async function runAction(act: Act): Promise<Outcome> {
  try {
    return await decide(act);
  } catch (error) {
    return ending(act, error);
  }
}

async function ending(act: Act, error: unknown): Promise<Outcome> {
  if (!(error instanceof Interrupted)) return failure(act, error);
  const reason = error.by === 'timeout' ? 'timed_out' : 'interrupted';
  const conclusion = error.by === 'timeout' ? 'timed_out' : 'cancelled';
  const { onTimeout, onCancel } = act.settings;
  const cancel = (error.by === 'timeout' ? onTimeout : onCancel) !== 'detach';
  // A creation whose answer was not waited for may have made a run: the post step looks for it.
  const note = error.by === 'timeout' ? error.message : 'The workflow was cancelled.';
  const unfinished = { notes: [note], cancel };
  return { ...endWithout(reason, error.message), conclusion, unfinished };
}

async function failure(act: Act, error: unknown): Promise<Outcome> {
  const isInput = error instanceof RunlinkError && error.code === 'invalid_input';
  const reason = isInput ? 'invalid_input' : failureReason(error);
  const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : '';
  const message = `${errorMessage(error)}${hint}`;
  const { github, event } = act;
  if (github && event.thread && !act.settings.dryRun) {
    const text = `Nothing was started: ${REASONS[reason].text}.\n\n> ${oneLine(message)}`;
    await bestEffort(act, 'The failure could not be told', async () => {
      await reply(github, event, text);
      if (act.settings.report.reactions) await react(github, event, 'confused');
    });
  }
  return endWithout(reason, message);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[<@]/g, '').slice(0, 500);
}

async function decide(act: Act): Promise<Outcome> {
  const { settings, event } = act;
  const found = await findTrigger(event, {
    phrase: settings.phrase,
    ...(settings.label === undefined ? {} : { label: settings.label }),
    ...(settings.assignee === undefined ? {} : { assignee: settings.assignee }),
    prompt: settings.instruction !== '' || settings.skill !== '' || settings.runId !== '',
  });
  if ('ignored' in found) return endWithout(found.ignored);
  const rules: GateRules = { ...settings.gate, ownLogins: [WORKFLOW_LOGIN] };
  if (rules.permission === 'none') {
    act.runner.warning('permission is none: nobody is asked whether they may start runs here.');
  }
  return act.settings.runId === '' || found.trigger.kind === 'commands'
    ? decideTrigger(act, found.trigger, rules)
    : toEnd(await decideAttach(act, rules));
}

async function decideTrigger(act: Act, trigger: Trigger, rules: GateRules): Promise<Outcome> {
  if (trigger.kind !== 'commands') return toEnd(await decideConfigured(act, trigger.kind, rules));
  // Each command is taken up before any run is waited for: the first run may take hours.
  const begun: Performed[] = [];
  for (const command of trigger.commands) {
    if (act.signal.aborted && begun.length > 0) break;
    begun.push(await takeUp(act, command, rules));
  }
  const outcomes = await Promise.all(begun.map(toEnd));
  return outcomes.reduce((main, one) => (weight(one) >= weight(main) ? one : main));
}

/** One command's failure leaves the others alone. */
async function takeUp(act: Act, command: Command, rules: GateRules): Promise<Performed> {
  try {
    return await decideCommand(act, command, rules);
  } catch (error) {
    return ending(act, error);
  }
}

async function toEnd(performed: Performed): Promise<Outcome> {
  return 'stay' in performed ? performed.stay() : performed;
}

/** Of several commands the step tells the worst, then what became of a run, then the last. */
function weight({ fails, run }: Outcome): number {
  return (fails ? 2 : 0) + (run ? 1 : 0);
}

async function decideCommand(act: Act, command: Command, rules: GateRules): Promise<Performed> {
  const verdict = await gateActor(act.github, act.event, rules);
  act.signal.throwIfAborted();
  if (!verdict.allowed) return refuse(act, verdict);
  if ('problem' in command) {
    const { reason } = command.problem;
    return tell(act, renderProblem(command.problem, act.settings.phrase), endWithout(reason));
  }
  const pinned = await pin(act, rules, {
    works: doesWork(command.verb),
    sha: command.options.sha,
    text: command.prompt,
  });
  if ('allowed' in pinned) return refuse(act, pinned);
  if (doesWork(command.verb)) await acknowledge(act);
  return performCommand(act, command, pinned);
}

async function decideConfigured(
  act: Act,
  trigger: Exclude<Trigger['kind'], 'commands'>,
  rules: GateRules,
): Promise<Performed> {
  const task = await configuredTask(act, trigger, rules);
  if ('allowed' in task) return trigger === 'prompt' ? decline(act, task) : refuse(act, task);
  return createRun(act, task);
}

async function decideAttach(act: Act, rules: GateRules): Promise<Performed> {
  const task = await configuredTask(act, 'prompt', rules);
  return 'allowed' in task ? decline(act, task) : attach(act, task);
}

async function configuredTask(
  act: Act,
  trigger: Task['trigger'],
  rules: GateRules,
): Promise<Task | Refusal> {
  const { settings } = act;
  const verdict = await gateActor(act.github, act.event, rules);
  act.signal.throwIfAborted();
  if (!verdict.allowed) return verdict;
  const pinned = await pin(act, rules, { works: true, text: settings.instruction });
  if ('allowed' in pinned) return pinned;
  await acknowledge(act);
  return { instruction: settings.instruction, options: {}, trigger, index: 1, pinned };
}

async function pin(
  act: Act,
  rules: GateRules,
  asked: { works: boolean; sha?: string | undefined; text: string },
): Promise<Pinned | Refusal> {
  if (!asked.works) return { head: undefined, base: undefined };
  const pinned = await pinHead(act.github, act.event);
  act.signal.throwIfAborted();
  if ('allowed' in pinned) return pinned;
  const fork = gateFork(pinned.head, rules, asked);
  return fork.allowed ? pinned : fork;
}

async function acknowledge(act: Act): Promise<void> {
  const { github, event, settings } = act;
  if (!github || !settings.report.reactions || settings.dryRun) return;
  const login = await bestEffort(act, 'The reaction could not be set', async () =>
    react(github, event, 'eyes'),
  );
  act.identity.learn(login);
}

/** Nobody asked, so nobody is told on the thread: whoever opens a pull request did not ask for a run. */
function decline(act: Act, refusal: Refusal): Outcome {
  act.runner.notice(refusal.detail);
  return endWithout(refusal.reason, refusal.detail);
}

/** Those who wait are told, once per person and thread; strangers' ordinary talk is left alone. */
async function refuse(act: Act, refusal: Refusal): Promise<Outcome> {
  const outcome = endWithout(refusal.reason, refusal.detail);
  const { github, event, settings } = act;
  const isMute = !github || settings.dryRun || REASONS[refusal.reason].kind !== 'refusal';
  if (isMute || !event.thread) return outcome;
  const { thread, repository } = event;
  const key = event.actor?.login ?? '';
  await bestEffort(act, 'The refusal could not be told', async () => {
    if (settings.report.reactions) act.identity.learn(await react(github, event, '-1'));
    const marker = noteMarker('refused', `${refusal.reason}:${key}`);
    const comments = await listComments(github, { repository, number: thread.number });
    const told = comments.filter(({ body }) => hasMarker(body, marker));
    const us = told.length > 0 ? await act.identity.login() : '';
    if (!told.some(({ author }) => sameName(author.login, us)))
      await reply(github, event, renderRefusal(refusal.reason, refusal.detail, key));
  });
  act.runner.notice(`${threadName(repository, thread)}: ${refusal.detail}`);
  return outcome;
}

async function tell(act: Act, text: string, outcome: Outcome): Promise<Outcome> {
  const { github, event, settings } = act;
  if (!github || settings.dryRun) return outcome;
  const url = await bestEffort(act, 'The answer could not be posted', async () => {
    if (settings.report.reactions) await react(github, event, 'confused');
    return reply(github, event, text);
  });
  return { ...outcome, commentUrl: url };
}
