import type { Cgroups } from './cgroup.ts';
import { launch } from './child.ts';
import { limitGaps, prlimit } from './limits.ts';
import type { Sandbox } from './sandbox.ts';

/** Without root a user namespace is needed to make the others. */
export function unshareArguments(root: boolean): string[] {
  return [
    'unshare',
    ...(root ? [] : ['--user', '--map-root-user']),
    '--pid',
    '--fork',
    '--kill-child=KILL',
    '--mount-proc',
    '--ipc',
    '--',
  ];
}

/** A pid namespace of its own: nothing of a run outlives it, and it sees no other process. */
export function unshareSandbox(
  tools: { prlimit: boolean; root: boolean },
  groups: Cgroups | undefined,
): Sandbox {
  const prefix = unshareArguments(tools.root);
  return {
    name: 'unshare',
    canCutNetwork: false,
    gaps: [
      'an agent can read and write whatever the worker\u2019s user can',
      'network "none" is not available',
      ...limitGaps(groups),
    ],
    spawn: (wanted) =>
      launch(
        [...prefix, ...(tools.prlimit ? prlimit(wanted.limits) : []), ...wanted.command],
        wanted,
        groups,
      ),
  };
}
