import { CommanderError } from 'commander';
import { RunlinkError, errorMessage } from '../base/error.ts';
import { Interrupted } from './interrupt.ts';
import { createProgram } from './program.ts';
import { paint } from './terminal.ts';

const USAGE_ERROR = 2;
/** As a shell tells that SIGPIPE ended a program. */
const UNREAD = 141;

const isUnread = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE';

/** Runs one command line and answers the exit code: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C. */
export async function runCli(words: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(words, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
  if (error instanceof Interrupted) return error.exitCode;
  if (isUnread(error)) return UNREAD;
  const label = paint(process.stderr, 'red', 'error:');
  process.stderr.write(`${label} ${errorMessage(error)}\n`);
  const hint = error instanceof RunlinkError ? error.hint : undefined;
  if (hint) process.stderr.write(`${paint(process.stderr, 'dim', hint)}\n`);
  if (process.env['RUNLINK_DEBUG'] && error instanceof Error)
    process.stderr.write(`${error.stack}\n`);
  return error instanceof RunlinkError && error.code === 'invalid_option' ? USAGE_ERROR : 1;
}
