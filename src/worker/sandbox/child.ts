import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RunlinkError } from '../../base/error.ts';
import { COOKIE_VARIABLE, kill, killByCookie } from './cookie.ts';
import type { AgentProcess, Exit, Spawn } from './sandbox.ts';

/**
 * Starts `argv` as the leader of its own process group and hands it out with its end. Everything that
 * carries the run's cookie goes down with it.
 */
export async function launch(argv: readonly string[], wanted: Spawn): Promise<AgentProcess> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    cwd: wanted.cwd,
    env: { ...wanted.env, [COOKIE_VARIABLE]: wanted.cookie },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new RunlinkError('agent_start_failed', `"${program}" could not be started.`, { cause });
  }
  const { pid } = child;
  if (pid === undefined)
    throw new RunlinkError('agent_start_failed', `"${program}" has no process.`);
  // A broken pipe shows as the process's end; the stream's own error says nothing more.
  child.stdin.on('error', () => undefined);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, summary: summary(code, signal) }));
  });
  const destroy = async (): Promise<void> => {
    kill(-pid);
    await killByCookie(wanted.cookie);
    await exited;
  };
  return { pid, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exited, destroy };
}

function summary(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null
    ? `the agent's process ended with code ${code ?? 'unknown'}`
    : `the agent's process was ended by ${signal}`;
}
