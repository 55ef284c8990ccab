import { isTerminal } from '../../contract/run-state.ts';
import { isVerb, VERBS, type ReadCommand } from './command.ts';
import type { RefusalReason, SkipReason } from './reason.ts';

/**
 * What to do with a new request while a run is working on the same thread (github.md, "Commands").
 */
export const WHEN_BUSY = ['follow-up', 'new', 'skip'] as const;
export type WhenBusy = (typeof WHEN_BUSY)[number];

/** The newest of our runs on a thread. */
export interface ThreadRun {
  runId: string;
  state: string;
  /** Id of the request that started it. */
  request?: string | undefined;
}

export type Plan =
  | { do: 'create' }
  | { do: 'follow_up'; runId: string; message: string; ignoredOptions: string[] }
  /** Start a new run with the same request as the old one. */
  | { do: 'retry'; runId: string }
  /** Wait for a run without sending it anything. */
  | { do: 'join'; runId: string }
  | { do: 'cancel'; runId: string }
  | { do: 'status'; runId: string }
  | { do: 'help' }
  | { do: 'refuse'; reason: RefusalReason | SkipReason };

/** Whether a command gives an agent work, so that the rules for forks and limits apply. */
export function doesWork(verb: ReadCommand['verb']): boolean {
  return !isVerb(verb) || VERBS[verb].doesWork;
}

type Work = Pick<ReadCommand, 'verb' | 'prompt' | 'options'>;
type Planning = (command: Work, threadRun: ThreadRun | undefined, whenBusy: WhenBusy) => Plan;

const PLANS: Record<ReadCommand['verb'], Planning> = {
  help: () => ({ do: 'help' }),
  new: () => ({ do: 'create' }),
  run: planWork,
  custom: planWork,
  review: planWork,
  fix: planWork,
  follow: onRun(followUp),
  status: onRun((_, { runId }) => ({ do: 'status', runId })),
  cancel: onRun((_, { runId, state }) =>
    isTerminal(state) ? { do: 'refuse', reason: 'run_ended' } : { do: 'cancel', runId },
  ),
  retry: onRun((_, { runId, state }) =>
    isTerminal(state) ? { do: 'retry', runId } : { do: 'refuse', reason: 'busy' },
  ),
};

/**
 * What to do for a command on a thread; the same in the Action and the App (github.md, "Commands").
 */
export function planCommand(
  command: Work,
  threadRun: ThreadRun | undefined,
  whenBusy: WhenBusy,
): Plan {
  return PLANS[command.verb](command, threadRun, whenBusy);
}

/** The plan of a verb that needs a run on the thread. */
function onRun(plan: (command: Work, threadRun: ThreadRun) => Plan): Planning {
  return (command, threadRun) =>
    threadRun ? plan(command, threadRun) : { do: 'refuse', reason: 'no_run' };
}

/**
 * Plans work. A review or custom command brings its own set-up, so it starts a new run if the old
 * one has ended.
 */
function planWork(command: Work, threadRun: ThreadRun | undefined, whenBusy: WhenBusy): Plan {
  const hasEnded = threadRun !== undefined && isTerminal(threadRun.state);
  const isOfItsOwn = command.verb === 'custom' || command.verb === 'review';
  if (!threadRun || (hasEnded && isOfItsOwn)) {
    return { do: 'create' };
  }
  if (hasEnded || whenBusy === 'follow-up') return followUp(command, threadRun);
  if (whenBusy === 'new') return { do: 'create' };
  return { do: 'refuse', reason: 'busy' };
}

/**
 * Options cannot change an existing run. If a command has no text but a skill, the skill becomes
 * the message.
 */
function followUp({ verb, prompt, options }: Work, { runId }: ThreadRun): Plan {
  const isSkill = verb !== 'custom' && prompt === '' && options.skill !== undefined;
  const message = isSkill ? `Use the skill ${options.skill}.` : prompt;
  const ignoredOptions = Object.keys(options).filter(
    (name) => name !== 'sha' && !(isSkill && name === 'skill'),
  );
  return { do: 'follow_up', runId, message, ignoredOptions };
}
