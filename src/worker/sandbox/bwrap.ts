import type { Cgroups } from './cgroup.ts';
import { byMarker, launch } from './child.ts';
import type { Confinement } from './confinement.ts';
import { limitGaps, prlimit } from './limits.ts';
import { ownProgram } from './own-program.ts';
import type { Sandbox } from './sandbox.ts';
import { joinViews } from './view.ts';

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
  const { readOnly, links, writable, scratch, network, doors } = confinement;
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
    writable.flatMap(({ path, at }) => ['--bind', path, at]),
    doors.flatMap(({ socket }) => ['--ro-bind', socket, socket]),
    ['--remount-ro', '/'],
    ['--chdir', confinement.cwd],
    ['--'],
  ].flat();
}

/** From inside, the worker's sockets look like ports on loopback. */
function withDoors(confinement: Confinement): Confinement {
  const { command, doors } = confinement;
  if (doors.length === 0) return confinement;
  const enter = ownProgram(byMarker(), 'enter');
  const order = JSON.stringify({ command, doors, environment: 'inherited' });
  const view = joinViews(confinement, enter.view);
  return { ...confinement, ...view, command: [...enter.command, order] };
}

/** bubblewrap: processes and mounts of their own, in which only what the confinement names exists. */
export function bwrapSandbox(tools: BwrapTools, groups: Cgroups | undefined): Sandbox {
  return {
    name: 'bwrap',
    canCutNetwork: true,
    gaps: limitGaps(tools.prlimit, groups),
    ...byMarker(),
    spawn: (wanted) => {
      const confinement = withDoors(wanted);
      const limits = prlimit(tools.prlimit, confinement.limits);
      return launch(
        [tools.bwrap, ...bwrapArguments(confinement), ...limits, ...confinement.command],
        // The run's directories are entered inside only: outside, one of them may be a link by now.
        { ...confinement, cwd: '/' },
        groups,
      );
    },
  };
}
