import { CommandInterrupted } from './interrupt.ts';
import { showsUnicode } from './output/letters.ts';

/** Whether there is somebody to ask. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && !process.env['CI'];
}

// Questions go to standard error; standard output holds the answer of the command.
const streams = { output: process.stderr, input: process.stdin };

async function answered<T extends string | boolean>(
  ask: (prompts: typeof import('@clack/prompts')) => Promise<T | symbol>,
): Promise<T> {
  const { TERM } = process.env;
  // The library chooses its letters as it is loaded, by TERM alone.
  if (!showsUnicode(process.stderr)) process.env['TERM'] = 'linux';
  const prompts = await import('@clack/prompts');
  if (TERM === undefined) delete process.env['TERM'];
  else process.env['TERM'] = TERM;
  const answer = await ask(prompts);
  if (typeof answer === 'symbol') throw new CommandInterrupted('SIGINT');
  return answer;
}

export function choose(
  message: string,
  options: { value: string; label: string }[],
): Promise<string> {
  return answered<string>(({ select }) => select({ message, options, ...streams }));
}

export function askFor(message: string, placeholder: string): Promise<string> {
  return answered<string>(({ text }) =>
    text({ message, placeholder, defaultValue: placeholder, ...streams }),
  );
}

/**
 * Whether to go on: `--yes`, or a yes to the question. If nobody can be asked, running the command
 * counts as a yes.
 */
export async function isAgreed(message: string, yes: boolean | undefined): Promise<boolean> {
  if (yes || !canAsk()) return true;
  return answered<boolean>(({ confirm }) => confirm({ message, initialValue: false, ...streams }));
}
