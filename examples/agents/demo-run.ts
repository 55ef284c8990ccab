import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Shown } from './demo-screen.ts';

const OUTPUT_MAX = 60_000;

/** Runs a command in the workspace and answers its output and exit code. An abort ends it. */
export async function runCommand(
  { cwd, signal }: { cwd: string; signal: AbortSignal },
  [program = '', ...args]: readonly string[],
): Promise<Shown & { exitCode: number }> {
  signal.throwIfAborted();
  // The Node that runs this agent goes first, so that the tests run on it too.
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let text = '';
  const add = (chunk: string): void => {
    text = (text + chunk).slice(-OUTPUT_MAX);
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  return { text, exitCode };
}
