import { RunlinkError } from '../base/error.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { CommandInterrupted } from './interrupt.ts';

/**
 * What each exit code means; docs/cli.md prints this table. 130 and 143 are the shell's for
 * signals.
 */
export const EXIT_CODES = {
  done: [0, 'done; of a run that was waited for: it succeeded'],
  failed: [1, 'the command failed: refused by the service, not found, broken'],
  usage: [2, 'wrong use: an unknown option, a value that is not valid, nothing to do'],
  runFailed: [3, 'the run ended FAILED or ERROR'],
  runBlocked: [4, 'the run ended BLOCKED: it waits for an answer'],
  runCancelled: [5, 'the run was CANCELLED'],
  unreachable: [6, 'the service could not be reached within 15 seconds'],
  signedOut: [7, 'no key, or one that does not work'],
} as const;

/** The code that a shell reports after SIGPIPE. */
export const UNREAD = 141;
/** Codes of errors that are caused by how the command was called. */
const USAGE = new Set(['invalid_option', 'invalid_duration', 'missing_prompt', 'missing_base_url']);

const SIGNED_OUT = new Set(['missing_api_key', 'authentication_required']);

/** An error in how the command was called. */
export function wrongUse(message: string, hint?: string): RunlinkError {
  return new RunlinkError('invalid_option', message, hint === undefined ? {} : { hint });
}

/** The exit code for the run's current state; 0 while it works. */
export function exitCodeOfRun({ state }: { state: string }): number {
  if (state === 'FAILED' || state === 'ERROR') return EXIT_CODES.runFailed[0];
  if (state === 'BLOCKED') return EXIT_CODES.runBlocked[0];
  return state === 'CANCELLED' ? EXIT_CODES.runCancelled[0] : EXIT_CODES.done[0];
}

export function exitCodeOfError(error: unknown): number {
  if (error instanceof CommandInterrupted) return error.exitCode;
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return UNREAD;
  if (isClientError(error) && (error.kind === 'network' || error.kind === 'timeout'))
    return EXIT_CODES.unreachable[0];
  if (!(error instanceof RunlinkError)) return EXIT_CODES.failed[0];
  if (SIGNED_OUT.has(error.code)) return EXIT_CODES.signedOut[0];
  return USAGE.has(error.code) || namesValue(error) ? EXIT_CODES.usage[0] : EXIT_CODES.failed[0];
}

/** Whether the service refused a value and said which. */
function namesValue(error: RunlinkError): boolean {
  return isProblem(error) && error.status === 400 && error.answer.field !== undefined;
}
