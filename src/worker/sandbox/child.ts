import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RunlinkError } from '../../base/error.ts';
import type { Cgroup, Cgroups } from './cgroup.ts';
import type { Confinement } from './confinement.ts';
import { MARKER_VARIABLE, kill, killMarked, killRun } from './process-marker.ts';
import { placedProgram } from './program-view.ts';
import { endOf, type ConfinedProcess, type Exit, type Sandbox } from './sandbox.ts';

/** Joins the control groups in its first argument, then executes the other arguments. */
const JOIN = 'for d in $0; do echo $$ > "$d/cgroup.procs" || exit 125; done; exec "$@"';

/**
 * Starts `argv` as the leader of its own process group. `destroy` ends everything that carries its
 * marker.
 */
export async function launch(
  argv: readonly string[],
  {
    cwd,
    env,
    limits,
    processMarker: marker,
  }: Pick<Confinement, 'cwd' | 'env' | 'limits' | 'processMarker'>,
  groups: Cgroups | undefined,
): Promise<ConfinedProcess> {
  const group = await groups?.make(marker, limits);
  const [program = '', ...args] = group
    ? ['/bin/sh', '-c', JOIN, group.directories.join(' '), ...argv]
    : argv;
  const child = spawn(program, args, {
    cwd,
    env: { ...env, [MARKER_VARIABLE]: marker },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    await group?.remove();
    throw new RunlinkError('agent_start_failed', `"${program}" could not be started.`, { cause });
  }
  const { pid } = child;
  if (pid === undefined)
    throw new RunlinkError('agent_start_failed', `"${program}" has no process.`);
  // A broken pipe shows as the process's end; the stream's error adds nothing.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Omit<Exit, 'summary'>>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const exited = ended.then(async (exit) => ({ ...exit, summary: await summary(exit, group) }));
  const end = async (): Promise<void> => {
    kill(-pid);
    await killMarked(marker);
    await exited;
    await group?.remove();
  };
  // End only once: a second search for the marker would find the run's next process.
  let ending: Promise<void> | undefined;
  const destroy = (): Promise<void> => (ending ??= end());
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exited, destroy };
}

/**
 * The part of a driver whose programs are ordinary processes of this machine and run as the
 * worker's user.
 */
export function byMarker(): Pick<Sandbox, 'user' | 'images' | 'tool' | 'endRun' | 'endAll'> {
  return {
    images: undefined,
    tool: placedProgram,
    user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    endRun: killRun,
    // Nothing to do: each run's file names its marker, and its processes are ended when the run is
    // continued.
    endAll: async () => undefined,
  };
}

async function summary(
  { code, signal }: Omit<Exit, 'summary'>,
  group: Cgroup | undefined,
): Promise<string> {
  return (await group?.ranOutOfMemory()) ? 'its processes ran out of memory' : endOf(code, signal);
}
