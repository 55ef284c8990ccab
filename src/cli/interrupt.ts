import { constants } from 'node:os';

/**
 * Thrown into the work under way when the process is told to end, or when nobody reads its output
 * any more.
 */
export class CommandInterrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`Stopped by ${signal}.`);
    this.name = 'Interrupted';
    this.signal = signal;
  }

  /** What a shell reports for a process ended by this signal: 128 plus its number. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal];
  }
}

/** Ctrl-C, a service manager, a closed terminal, and Ctrl-\. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const controller = new AbortController();
const cleanup = { begun: false, wanted: false };

/**
 * A signal that is aborted when the process is told to end, so that work can clean up. A second
 * request ends the process at once.
 */
export function interruptSignal(): AbortSignal {
  if (!cleanup.wanted) for (const signal of SIGNALS) process.on(signal, stop);
  cleanup.wanted = true;
  return controller.signal;
}

function stop(signal: NodeJS.Signals): void {
  const interrupted = new CommandInterrupted(signal);
  if (controller.signal.aborted) process.exit(interrupted.exitCode);
  controller.abort(interrupted);
}

/** The reader of the output has left, as `head` or a closed terminal does: ends as by SIGPIPE. */
export function endUnread(): void {
  if (!cleanup.wanted) process.exit(new CommandInterrupted('SIGPIPE').exitCode);
  if (!controller.signal.aborted) controller.abort(new CommandInterrupted('SIGPIPE'));
}
