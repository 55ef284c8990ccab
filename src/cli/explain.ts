import { CommanderError } from 'commander';
import { RunlinkError, errorMessage } from '../base/error.ts';
import { isClientError } from '../client/error.ts';
import { EXIT_CODES, UNREAD, exitCodeOfError } from './exit-code.ts';
import { harmlessJson } from './output/json.ts';
import { spelled } from './output/letters.ts';
import { CommandInterrupted } from './interrupt.ts';
import { paint, screenOf } from './output/screen.ts';
import { clean } from './output/text.ts';

/** Reports an error, to people or as JSON, and returns the exit code. */
export function explain(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    if (json) printJsonError(error, EXIT_CODES.usage[0]);
    return EXIT_CODES.usage[0];
  }
  const code = exitCodeOfError(error);
  if (code === UNREAD || (code > 128 && !json)) return code;
  if (json) printJsonError(error, code);
  else printError(error);
  return code;
}

/** Prints the error as one line of JSON on standard error. */
function printJsonError(error: unknown, exitCode: number): void {
  const problem = isClientError(error) && error.kind === 'problem' ? error.answer : undefined;
  const said = {
    code: error instanceof CommanderError ? 'invalid_option' : (codeOf(error) ?? 'internal_error'),
    message: errorMessage(error)
      .replace(/^error: /, '')
      .replace("'--json='", "'--json'"),
    ...(adviceOf(error) && { hint: adviceOf(error) }),
    ...(problem && { status: problem.status, field: problem.field, trace_id: problem.traceId }),
    exit_code: exitCode,
  };
  process.stderr.write(`${harmlessJson(JSON.stringify({ error: said }))}\n`);
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof CommandInterrupted) return 'interrupted';
  return error instanceof RunlinkError ? error.code : undefined;
}

const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: 'Let the user that runs this have it, run it as another, or name another place.',
  EPERM: 'Let the user that runs this have it, run it as another, or name another place.',
  EROFS: 'Nothing can be written on that file system: name another place.',
  ENOSPC: 'Make room on that disk, or name another place.',
  ENOTDIR: 'Part of that path is a file: name another place.',
  EEXIST: 'It is left as it is: name another file.',
  ENOENT: 'Check the path.',
  EISDIR: 'A file is needed there, and that is a directory.',
};

function adviceOf(error: unknown): string | undefined {
  if (error instanceof RunlinkError) return error.hint;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? BY_CODE[code] : undefined;
}

function printError(error: unknown): void {
  const screen = screenOf(process.stderr);
  const text = (said: string): string => spelled(process.stderr, clean(said));
  process.stderr.write(`${paint(screen, 'red', 'error:')} ${text(errorMessage(error))}\n`);
  const hint = adviceOf(error);
  if (hint) process.stderr.write(`${paint(screen, 'dim', text(hint))}\n`);
  if (process.env['RUNLINK_DEBUG'] && error instanceof Error)
    process.stderr.write(`${error.stack}\n`);
}
