import { isTerminal } from '../../contract/run-state.ts';
import { isVerb, VERBS, type ReadCommand } from './command.ts';
import type { RefusalReason, SkipReason } from './reason.ts';

/**
 * What to do with work that is asked for while a run works on the same thread
 * (github.md, "Commands").
 */
export const WHEN_BUSY = ['follow-up', 'new', 'skip'] as const;
export type WhenBusy = (typeof WHEN_BUSY)[number];

/** The newest run of ours on a thread. */
export interface ThreadRun {
  runId: string;
  state: string;
  /** Id of the request that made it. */
  request?: string | undefined;
}

export type Plan =
  | { do: 'create' }
  | { do: 'follow_up'; runId: string; message: string; ignoredOptions: string[] }
  /** A new run of what the old one was asked. */
  | { do: 'retry'; runId: string }
  /** Join a run without telling it anything. */
  | { do: 'join'; runId: string }
  | { do: 'cancel'; runId: string }
  | { do: 'status'; runId: string }
  | { do: 'help' }
  | { do: 'refuse'; reason: RefusalReason | SkipReason };

/** Verbs that do work, so that forks and limits matter to them. */
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

/** What a command comes to on a thread, the same in Action and App (github.md, "Commands"). */
export function planCommand(
  command: Work,
  threadRun: ThreadRun | undefined,
  whenBusy: WhenBusy,
): Plan {
  return PLANS[command.verb](command, threadRun, whenBusy);
}

/** A verb that means nothing on a thread without a run. */
function onRun(plan: (command: Work, threadRun: ThreadRun) => Plan): Planning {
  return (command, threadRun) =>
    threadRun ? plan(command, threadRun) : { do: 'refuse', reason: 'no_run' };
}

/** A review, or a command of the repository's own, brings its own set-up: it continues a run only while that works. */
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

/** A run takes no options any more, but the skill of a command without words is what it says. */
function followUp({ verb, prompt, options }: Work, { runId }: ThreadRun): Plan {
  const isSkill = verb !== 'custom' && prompt === '' && options.skill !== undefined;
  const message = isSkill ? `Use the skill ${options.skill}.` : prompt;
  const ignoredOptions = Object.keys(options).filter(
    (name) => name !== 'sha' && !(isSkill && name === 'skill'),
  );
  return { do: 'follow_up', runId, message, ignoredOptions };
}
