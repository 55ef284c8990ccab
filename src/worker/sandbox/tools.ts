import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const PROBE_TIMEOUT_MS = 5000;
const SAID_MAX = 500;

/** Runs a command; returns undefined if it succeeds, otherwise its message. */
export async function tryTool(command: readonly string[]): Promise<string | undefined> {
  const [program = '', ...args] = command;
  try {
    await execute(program, args, { timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' });
    return undefined;
  } catch (error) {
    return said(error, program).slice(0, SAID_MAX);
  }
}

function said(error: unknown, program: string): string {
  const { code, stderr } = error as { code?: unknown; stderr?: string };
  if (code === 'ENOENT') return `there is no program "${program}"`;
  return stderr?.trim() || `"${program}" failed`;
}
