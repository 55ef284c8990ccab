import { isTerminal } from '../../contract/run-state.ts';
import type { ReadCommand } from './command.ts';
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
  | { do: 'create'; prompt: string }
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
  return verb !== 'status' && verb !== 'cancel' && verb !== 'help';
}

/** What a command comes to on a thread, the same in Action and App (github.md, "Commands"). */
export function planCommand(
  command: Pick<ReadCommand, 'verb' | 'prompt' | 'options'>,
  threadRun: ThreadRun | undefined,
  whenBusy: WhenBusy,
): Plan {
  const { verb } = command;
  if (verb === 'help') return { do: 'help' };
  if (verb === 'new') return { do: 'create', prompt: command.prompt };
  if (!isSteering(verb)) return planWork(command, threadRun, whenBusy);
  return threadRun ? planOnRun(command, threadRun) : { do: 'refuse', reason: 'no_run' };
}

type Work = Pick<ReadCommand, 'verb' | 'prompt' | 'options'>;

function isSteering(verb: ReadCommand['verb']): boolean {
  return verb === 'follow' || verb === 'retry' || !doesWork(verb);
}

/** A review, or a command of the repository's own, brings its own set-up: it continues a run only while that works. */
function planWork(command: Work, threadRun: ThreadRun | undefined, whenBusy: WhenBusy): Plan {
  const hasEnded = threadRun !== undefined && isTerminal(threadRun.state);
  const isOfItsOwn = command.verb === 'custom' || command.verb === 'review';
  if (!threadRun || (hasEnded && isOfItsOwn)) {
    return { do: 'create', prompt: command.prompt };
  }
  if (hasEnded || whenBusy === 'follow-up') return followUp(command, threadRun);
  if (whenBusy === 'new') return { do: 'create', prompt: command.prompt };
  return { do: 'refuse', reason: 'busy' };
}

function planOnRun(command: Work, { runId, state }: ThreadRun): Plan {
  if (command.verb === 'status') return { do: 'status', runId };
  if (command.verb === 'follow') return followUp(command, { runId, state });
  const ended = isTerminal(state);
  if (command.verb === 'cancel') {
    return ended ? { do: 'refuse', reason: 'run_ended' } : { do: 'cancel', runId };
  }
  return ended ? { do: 'retry', runId } : { do: 'refuse', reason: 'busy' };
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
