import { CommanderError, type Command } from 'commander';
import { createProgram } from './program.ts';

/** Runs one command line and returns the exit code (EXIT_CODES; 130 for Ctrl-C). */
export async function runCli(given: readonly string[]): Promise<number> {
  if (given[0] === '__complete') return completeWords(given.slice(1));
  const words = withoutValue(given);
  const json = words.some((word) => word.startsWith('--json='));
  try {
    const program = await createProgram(words);
    if (json) silence(program);
    await program.parseAsync(words, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { explain } = await import('./explain.ts');
    return explain(error, json);
  }
}

/** Completes words for a shell. A failure gives no words and prints nothing. */
async function completeWords(words: readonly string[]): Promise<number> {
  const { completeLine } = await import('./complete.ts');
  const program = await createProgram(words.length > 1 ? words : []);
  process.stdout.write(await completeLine(program, words).catch(() => ''));
  return 0;
}

/** Keeps commander from printing errors, because they are printed as JSON. */
function silence(command: Command): void {
  command.configureOutput({ outputError: () => undefined, writeErr: () => undefined });
  for (const child of command.commands) silence(child);
}

/** `--json` takes its fields only after `=`, so that the next word stays an argument. */
function withoutValue(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.map((word, at) => (word === '--json' && (end < 0 || at < end) ? '--json=' : word));
}
