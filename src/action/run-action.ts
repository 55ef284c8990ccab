import { errorMessage, RunlinkError } from '../base/error.ts';
import { renderProblem, renderRefusal } from '../github/answer.ts';
import type { Command } from '../github/command.ts';
import { threadName } from '../github/event.ts';
import { gateActor, gateFork, pinHead, type GateRules, type Refusal } from '../github/gate.ts';
import { noteMarker } from '../github/marker.ts';
import { doesWork } from '../github/plan.ts';
import { react, reply } from '../github/reply.ts';
import { REASONS } from '../github/reason.ts';
import { findTrigger, type Trigger } from '../github/trigger.ts';
import { listComments } from '../github/upsert.ts';
import { hasMarker } from '../github/marker.ts';
import { bestEffort, type Act, type Pinned } from './act.ts';
import { attachAndWait, createAndWait, performCommand, type Performance } from './perform.ts';
import { endWithout, type Outcome } from './outcome.ts';
import type { Task } from './request-run.ts';
import { OWN_LOGINS } from './after.ts';
import { failureReason } from './stop.ts';
import { Interrupted } from './interrupted.ts';

/** From event to outcome. Throws nothing that has a reason. */
export async function runAction(act: Act): Promise<Outcome> {
  try {
    return await decide(act);
  } catch (error) {
    if (error instanceof Interrupted) {
      const reason = error.by === 'timeout' ? 'timed_out' : 'interrupted';
      const conclusion = error.by === 'timeout' ? 'timed_out' : 'cancelled';
      return { ...endWithout(reason, error.message), conclusion };
    }
    return failure(act, error);
  }
}

async function failure(act: Act, error: unknown): Promise<Outcome> {
  const isInput = error instanceof RunlinkError && error.code === 'invalid_input';
  const reason = isInput ? 'invalid_input' : failureReason(error);
  const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : '';
  const message = `${errorMessage(error)}${hint}`;
  const { github, event } = act;
  if (github && event.thread) {
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
  const rules: GateRules = { ...settings.gate, ownLogins: OWN_LOGINS };
  if (rules.permission === 'none') {
    act.runner.warning('permission is none: nobody is asked whether they may start runs here.');
  }
  return act.settings.runId === '' || found.trigger.kind === 'commands'
    ? decideTrigger(act, found.trigger, rules)
    : decideAttach(act, rules);
}

async function decideTrigger(act: Act, trigger: Trigger, rules: GateRules): Promise<Outcome> {
  if (trigger.kind !== 'commands') return decideConfigured(act, trigger.kind, rules);
  let main: Outcome | undefined;
  for (const command of trigger.commands) {
    const outcome = await decideCommand(act, command, rules);
    if (!main || outcome.run || (outcome.fails && !main.fails)) main = outcome;
    if (act.signal.aborted) break;
  }
  return main ?? endWithout('not_a_command');
}

async function decideCommand(act: Act, command: Command, rules: GateRules): Promise<Outcome> {
  const verdict = await gateActor(act.github, act.event, rules);
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
  return performCommand(withOwnLogins(act, rules), command, pinned);
}

async function decideConfigured(
  act: Act,
  trigger: Exclude<Trigger['kind'], 'commands'>,
  rules: GateRules,
): Promise<Outcome> {
  const task = await configuredTask(act, trigger, rules);
  if ('allowed' in task) return trigger === 'prompt' ? decline(act, task) : refuse(act, task);
  return createAndWait(withOwnLogins(act, rules), task);
}

async function decideAttach(act: Act, rules: GateRules): Promise<Outcome> {
  const task = await configuredTask(act, 'prompt', rules);
  return 'allowed' in task ? decline(act, task) : attachAndWait(withOwnLogins(act, rules), task);
}

async function configuredTask(
  act: Act,
  trigger: Task['trigger'],
  rules: GateRules,
): Promise<Task | Refusal> {
  const { settings } = act;
  const verdict = await gateActor(act.github, act.event, rules);
  if (!verdict.allowed) return verdict;
  const pinned = await pin(act, rules, { works: true, text: settings.instruction });
  if ('allowed' in pinned) return pinned;
  await acknowledge(act);
  return { instruction: settings.instruction, options: {}, trigger, index: 1, pinned };
}

function withOwnLogins(act: Act, rules: GateRules): Performance {
  return { ...act, ownLogins: rules.ownLogins };
}

async function pin(
  act: Act,
  rules: GateRules,
  asked: { works: boolean; sha?: string | undefined; text: string },
): Promise<Pinned | Refusal> {
  if (!asked.works) return { head: undefined, base: undefined };
  const pinned = await pinHead(act.github, act.event);
  if ('allowed' in pinned) return pinned;
  const fork = gateFork(pinned.head, rules, asked);
  return fork.allowed ? pinned : fork;
}

async function acknowledge(act: Act): Promise<void> {
  const { github, event, settings } = act;
  if (!github || !settings.report.reactions || settings.dryRun) return;
  await bestEffort(act, 'The reaction could not be set', async () => react(github, event, 'eyes'));
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
  if (!github || !event.thread || REASONS[refusal.reason].kind !== 'refusal') return outcome;
  const { thread, repository } = event;
  const key = event.actor?.login ?? '';
  await bestEffort(act, 'The refusal could not be told', async () => {
    if (settings.report.reactions) await react(github, event, '-1');
    const marker = noteMarker('refused', `${refusal.reason}:${key}`);
    const comments = await listComments(github, { repository, number: thread.number });
    const isTold = comments.some(
      ({ body, author }) => author.type === 'Bot' && hasMarker(body, marker),
    );
    if (!isTold) await reply(github, event, renderRefusal(refusal.reason, refusal.detail, key));
  });
  act.runner.notice(`${threadName(repository, thread)}: ${refusal.detail}`);
  return outcome;
}

async function tell(act: Act, text: string, outcome: Outcome): Promise<Outcome> {
  const { github, event, settings } = act;
  if (!github) return outcome;
  const url = await bestEffort(act, 'The answer could not be posted', async () => {
    if (settings.report.reactions) await react(github, event, 'confused');
    return reply(github, event, text);
  });
  return { ...outcome, commentUrl: url };
}
