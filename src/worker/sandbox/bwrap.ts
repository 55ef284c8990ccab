import type { Cgroups } from './cgroup.ts';
import { launch } from './child.ts';
import { BRIDGE_PORT, type Confinement } from './confinement.ts';
import { limitGaps, prlimit } from './limits.ts';
import { ownProgram } from './own-program.ts';
import type { Sandbox } from './sandbox.ts';

/** Where the programs that isolate lie: they are never looked for by a PATH that is a run's own. */
export interface BwrapTools {
  bwrap: string;
  prlimit: string | undefined;
}

/**
 * The arguments that make a namespace with nothing in it but what the confinement names. Variables with
 * values are in the environment, never in the arguments, which others can read.
 */
export function bwrapArguments(confinement: Confinement): string[] {
  const { readOnly, links, writable, scratch, network, modelSocket } = confinement;
  // What lies inside something else has to be put there after it.
  const outerFirst = readOnly.toSorted((a, b) => a.at.length - b.at.length);
  return [
    ['--die-with-parent'],
    ['--new-session'],
    ['--unshare-pid'],
    ['--unshare-ipc'],
    ['--unshare-uts'],
    ['--unshare-cgroup-try'],
    network === 'none' ? ['--unshare-net'] : [],
    ['--cap-drop', 'ALL'],
    ['--dev', '/dev'],
    ['--proc', '/proc'],
    scratch.flatMap((dir) => ['--tmpfs', dir]),
    outerFirst.flatMap(({ path, at }) => ['--ro-bind', path, at]),
    links.flatMap(({ at, to }) => ['--symlink', to, at]),
    writable.flatMap((dir) => ['--bind', dir, dir]),
    modelSocket === undefined ? [] : ['--ro-bind', modelSocket, modelSocket],
    ['--remount-ro', '/'],
    ['--chdir', confinement.cwd],
    ['--'],
  ].flat();
}

/** From inside, the model's socket looks like a port on loopback. */
function bridge({ network, modelSocket }: Confinement): readonly string[] {
  if (network === 'full' || modelSocket === undefined) return [];
  return [...ownProgram('bridge').command, modelSocket, String(BRIDGE_PORT)];
}

/** bubblewrap: processes and mounts of their own, in which only what the confinement names exists. */
export function bwrapSandbox(tools: BwrapTools, groups: Cgroups | undefined): Sandbox {
  return {
    name: 'bwrap',
    canCutNetwork: true,
    gaps: limitGaps(tools.prlimit, groups),
    spawn: (confinement) =>
      launch(
        [
          tools.bwrap,
          ...bwrapArguments(confinement),
          ...prlimit(tools.prlimit, confinement.limits),
          ...bridge(confinement),
          ...confinement.command,
        ],
        // The run's directories are entered inside only: outside, one of them may be a link by now.
        { ...confinement, cwd: '/' },
        groups,
      ),
  };
}
