import { warning } from '@actions/core';
import type { RunlinkError } from '../base/error.ts';
import { replyKey, tellRefusal } from '../commands/answer.ts';
import { toAsked } from '../commands/asked.ts';
import { carryOutAll } from '../commands/carry-out.ts';
import type { Asked, Handled } from '../commands/face.ts';
import { failureReason, failureText } from '../commands/failure.ts';
import { gatherReview } from '../commands/gather-review.ts';
import type { Command } from '../github/decide/command.ts';
import { gateActor } from '../github/decide/gate.ts';
import type { Plan } from '../github/decide/plan.ts';
import type { Origin } from '../github/decide/request.ts';
import { findTrigger, type Trigger } from '../github/decide/trigger.ts';
import { sameName } from '../github/read/event.ts';
import { threadPlace } from './connect-step.ts';
import { createActionFace } from './face.ts';
import { jobName } from './job-name.ts';
import { Interrupted } from './interrupted.ts';
import { endWithout, type StepOutcome } from './step-outcome.ts';
import { waitForRun } from './wait-for-run.ts';
import { leave } from './left-for-post-step.ts';
import { asksForReview, type Step } from './step-context.ts';

/** Turns the event into the step's outcome. Failures that have a reason become outcomes, too. */
export async function handleEvent(step: Step): Promise<StepOutcome> {
  const { settings, event, github } = step;
  const { phrase, instruction, skill, runId, label, assignee } = settings;
  try {
    const found = await findTrigger(event, {
      phrase,
      ...(label !== undefined && { label }),
      ...(assignee !== undefined && { assignee }),
      onEdit: settings.onEdit,
      prompt: [instruction, skill, runId].some((value) => value !== ''),
    });
    if ('ignored' in found) return endWithout(found.ignored);
    if (settings.gate.permission === 'none') {
      warning('permission is none: nobody’s permission is checked before a run starts here.');
    }
    const { trigger } = found;
    if (settings.lacks) return await endWithoutService(step, trigger, settings.lacks);
    if (trigger.kind !== 'commands')
      return await carryOutAsked(step, trigger.kind, [configured(settings)]);
    const asked = await gatherReview(github, event, trigger.commands, settings);
    // All jobs started by one review show the run in the same thread, that of its first command.
    const place = threadPlace(asked.event);
    return await carryOutAsked({ ...step, event: asked.event, place }, 'command', asked.commands);
  } catch (error) {
    if (error instanceof Interrupted) return endInterrupted(step, error.by);
    return endWithout(failureReason(error), failureText(error));
  }
}

async function carryOutAsked(
  step: Step,
  kind: Origin['trigger'],
  commands: readonly Command[],
): Promise<StepOutcome> {
  const { event, runner, settings } = step;
  const job = kind === 'prompt' ? await jobName(step) : runner.step.job;
  const workflow = { ...runner.step, job, key: settings.requestKey };
  const all = commands.map((command) => toAsked(event, kind, command, workflow));
  const attached = kind === 'command' ? undefined : planAttach(step);
  // Start every command before waiting for any run: the first run may take hours.
  const handled = await carryOutAll(createActionFace(step), all, attached);
  const outcomes = await Promise.all(
    handled.map(async (one, at) => toOutcome(step, all[at], one, attached !== undefined)),
  );
  return outcomes.reduce((main, one) => (weight(one) >= weight(main) ? one : main));
}

/**
 * The outcome where the service's address or key is missing. GitHub withholds secrets from forks
 * and Dependabot, so there the step ends green; others learn what is missing only if they may start
 * runs.
 */
async function endWithoutService(
  { event, github, outbox, settings }: Step,
  { kind }: Trigger,
  lacks: RunlinkError,
): Promise<StepOutcome> {
  const { actor, head, repository } = event;
  const isWithheld = repository.isFork === true || head?.fork === true;
  if (isWithheld || sameName(actor?.login, 'dependabot[bot]'))
    return endWithout('secrets_withheld');
  const verdict = await gateActor(github, event, settings.gate);
  if (verdict.allowed) return endWithout('invalid_input', failureText(lacks));
  if (kind === 'commands') await tellRefusal({ event, put: outbox.put }, verdict);
  return endWithout(verdict.reason, verdict.detail);
}

/**
 * Of several commands the step reports the worst outcome; among equals one with a run, then the
 * last.
 */
function weight({ fails, run }: StepOutcome): number {
  return (fails ? 2 : 0) + (run ? 1 : 0);
}

/** An input that asks for a run starts it as the command `new` does. */
const CONFIGURED = { index: 1, verb: 'new', name: undefined, prompt: '', options: {} } as const;

function configured(settings: Step['settings']): Command {
  return asksForReview(settings) ? { ...CONFIGURED, verb: 'review' } : CONFIGURED;
}

/** Input `run-id`: follows that run, and sends it the prompt if there is one. */
function planAttach({ settings }: Step): Plan | undefined {
  const { runId, instruction: message } = settings;
  if (runId === '') return undefined;
  leave('attached', 'true');
  if (message === '') return { do: 'join', runId };
  return { do: 'follow_up', runId, message, ignoredOptions: [] };
}

async function toOutcome(
  step: Step,
  asked: Asked | undefined,
  handled: Handled,
  isAttached: boolean,
): Promise<StepOutcome> {
  const { reason, detail, runId, run, isNew } = handled;
  if (reason === 'interrupted') return endInterrupted(step, 'SIGINT');
  if (reason === 'timed_out') return endInterrupted(step, 'timeout');
  if (runId === undefined) {
    const answered = asked && step.outbox.urlOf(replyKey(asked.id));
    return { ...endWithout(reason, detail), run, commentUrl: answered };
  }
  const own = {
    runId,
    requestId: asked?.id ?? '',
    headSha: handled.headSha ?? step.event.checks?.sha,
    mayExist: isNew !== true,
    isAttached,
  };
  return waitForRun(step, own, handled);
}

function endInterrupted({ settings }: Step, by: Interrupted['by']): StepOutcome {
  const isTimeout = by === 'timeout';
  const { onTimeout, onCancel } = settings;
  const cancel = (isTimeout ? onTimeout : onCancel) !== 'detach';
  // The request may have started a run although its answer was not awaited: the post step looks for
  // it.
  const note = isTimeout ? 'The time limit of the step passed.' : 'The workflow was cancelled.';
  return {
    ...endWithout(isTimeout ? 'timed_out' : 'interrupted', note),
    conclusion: isTimeout ? 'timed_out' : 'cancelled',
    unfinished: { notes: [note], cancel },
  };
}
