import type { Cgroups } from './cgroup.ts';
import { byMarker, launch } from './child.ts';
import { limitGaps, prlimit } from './limits.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * No isolation beyond a process group, a scrubbed environment, and limits by prlimit and control
 * groups.
 */
export function directSandbox(
  tools: { prlimit: string | undefined },
  groups: Cgroups | undefined,
): Sandbox {
  return {
    name: 'direct',
    canCutNetwork: false,
    gaps: [
      'an agent can read and write whatever the worker\u2019s user can',
      'an agent can see other processes',
      'network "none" is not available',
      ...limitGaps(tools.prlimit, groups),
    ],
    ...byMarker(),
    spawn: async (confinement, held) => {
      await held;
      const command = [...prlimit(tools.prlimit, confinement.limits), ...confinement.command];
      return await launch(command, confinement, groups);
    },
  };
}
