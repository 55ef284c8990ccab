import type { Cgroups } from './cgroup.ts';
import { byMarker, launch } from './child.ts';
import { SCRATCH, type Confinement, type Link, type SeenPlace } from './confinement.ts';
import { limitGaps, prlimit } from './limits.ts';
import { ownProgram } from './own-program.ts';
import type { Sandbox } from './sandbox.ts';
import { joinViews } from './view.ts';

/** Full paths of the tools. They are never looked up in a run's own PATH. */
export interface BwrapTools {
  bwrap: string;
  prlimit: string | undefined;
  /** Switches to a user other than the worker's. */
  setpriv?: string | undefined;
}

/** Capabilities for switching to another user; they are lost by the switch. */
const CAPABILITIES = ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'];

const isOwn = ({ uid }: Confinement['user']): boolean => uid === (process.getuid?.() ?? uid);

/**
 * Sandbox by bubblewrap: each program has its own processes and mounts, with nothing in them but
 * what the confinement names.
 */
export function bwrapSandbox(tools: BwrapTools, groups: Cgroups | undefined): Sandbox {
  return {
    name: 'bwrap',
    canCutNetwork: true,
    gaps: limitGaps(tools.prlimit, groups),
    ...byMarker(),
    spawn: async (wanted, held) => {
      await held;
      const confinement = withDoors(wanted);
      const limits = prlimit(tools.prlimit, confinement.limits);
      return await launch(
        [
          tools.bwrap,
          ...bwrapArguments(confinement),
          ...become(tools.setpriv, confinement.user),
          ...limits,
          ...confinement.command,
        ],
        // Enter the run's directory only inside the sandbox: outside, it may have become a link.
        { ...confinement, cwd: '/' },
        groups,
      );
    },
  };
}

/**
 * The arguments for a namespace that contains only what the confinement names. Values of variables
 * go into the environment, never into the arguments, which others can read.
 */
function bwrapArguments(confinement: Confinement): string[] {
  const { readOnly, links, writable, network, doors, user } = confinement;
  // Mount outer directories before those inside them.
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
    isOwn(user) ? [] : CAPABILITIES,
    ['--dev', '/dev'],
    ['--proc', '/proc'],
    SCRATCH.flatMap((dir) => [...(isOwn(user) ? [] : ['--perms', '1777']), '--tmpfs', dir]),
    isOwn(user) ? [] : above([...readOnly, ...writable], links).flatMap((dir) => ['--dir', dir]),
    outerFirst.flatMap(({ path, at }) => ['--ro-bind', path, at]),
    links.flatMap(({ at, to }) => ['--symlink', to, at]),
    writable.flatMap(({ path, at }) => ['--bind', path, at]),
    doors.flatMap(({ socket }) => ['--ro-bind', socket, socket]),
    ['--remount-ro', '/'],
    ['--chdir', confinement.cwd],
    ['--'],
  ].flat();
}

/** Makes the worker's sockets appear as ports on loopback inside. */
function withDoors(confinement: Confinement): Confinement {
  const { command, doors } = confinement;
  if (doors.length === 0) return confinement;
  const enter = ownProgram(byMarker(), 'enter');
  const order = JSON.stringify({ command, doors, environment: 'inherited' });
  const view = joinViews(confinement, enter.view);
  return { ...confinement, ...view, command: [...enter.command, order] };
}

/**
 * The parent directories of these places. They are created here because those that bubblewrap makes
 * by itself can be entered only by the worker's user.
 */
function above(places: readonly SeenPlace[], links: readonly Link[]): string[] {
  const all = places.flatMap(({ at }) => {
    const names = at.split('/').slice(1, -1);
    return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
  });
  const isLinked = (dir: string): boolean => links.some(({ at }) => `${dir}/`.startsWith(`${at}/`));
  return [...new Set(all)].filter((dir) => !isLinked(dir));
}

/** Throws if the switch is not possible, because nothing may run as the worker's user instead. */
function become(setpriv: string | undefined, user: Confinement['user']): string[] {
  if (isOwn(user)) return [];
  if (setpriv === undefined) throw new Error('setpriv is not installed');
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`];
  return [setpriv, ...ids, '--clear-groups', '--inh-caps=-all', '--no-new-privs', '--'];
}
