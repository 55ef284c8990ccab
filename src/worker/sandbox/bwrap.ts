import { fileURLToPath } from 'node:url';
import type { Cgroups } from './cgroup.ts';
import { launch } from './child.ts';
import { limitGaps, prlimit } from './limits.ts';
import { BRIDGE_PORT, type Sandbox, type Spawn } from './sandbox.ts';

/** Variables with values are in the environment, never in the arguments, which others can read. */
export function bwrapArguments(wanted: Spawn): string[] {
  const { writable, hidden, programs, modelSocket } = wanted;
  return [
    ['bwrap', '--die-with-parent', '--new-session'],
    ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    wanted.network === 'none' ? ['--unshare-net'] : [],
    ['--cap-drop', 'ALL'],
    ['--ro-bind', '/', '/'],
    ['--dev', '/dev'],
    ['--proc', '/proc'],
    ['--tmpfs', '/tmp'],
    ['--tmpfs', '/run'],
    hidden.flatMap((dir) => ['--tmpfs', dir]),
    programs.flatMap((dir) => ['--ro-bind-try', dir, dir]),
    writable.flatMap((dir) => ['--bind', dir, dir]),
    modelSocket === undefined ? [] : ['--bind', modelSocket, modelSocket],
    ['--chdir', wanted.cwd, '--'],
  ].flat();
}

/** From inside, the model's socket looks like a port on loopback. */
function bridge({ network, modelSocket }: Spawn): string[] {
  if (network === 'full' || modelSocket === undefined) return [];
  const file = import.meta.url.endsWith('.ts') ? './bridge.ts' : './bridge.js';
  const path = fileURLToPath(new URL(file, import.meta.url));
  return [process.execPath, path, modelSocket, String(BRIDGE_PORT)];
}

/**
 * bubblewrap: the machine read-only, the worker's own files out of sight, only the run's directories
 * writable, own processes, and no network where the operator wants none.
 */
export function bwrapSandbox(tools: { prlimit: boolean }, groups: Cgroups | undefined): Sandbox {
  return {
    name: 'bwrap',
    canCutNetwork: true,
    gaps: limitGaps(groups),
    spawn: (wanted) =>
      launch(
        [
          ...bwrapArguments(wanted),
          ...(tools.prlimit ? prlimit(wanted.limits) : []),
          ...bridge(wanted),
          ...wanted.command,
        ],
        wanted,
        groups,
      ),
  };
}
