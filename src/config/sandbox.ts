import { z } from 'zod';

/** How a worker isolates its runs. `direct` is no isolation. */
export const SANDBOX_DRIVERS = ['bwrap', 'container', 'sidecar', 'direct'] as const;
export type SandboxDriver = (typeof SANDBOX_DRIVERS)[number];

const CONTAINER_ENGINES = ['podman', 'docker'] as const;
export type ContainerEngine = (typeof CONTAINER_ENGINES)[number];

const shownPath = z
  .string()
  .max(4096)
  .regex(/^\/(?!\/)[^\0]*[^\0/]$/, 'must be a full path, and not the root')
  .refine((path) => !path.split('/').includes('..'), 'must not contain ".."');

/** How a worker isolates its runs, and their limits. */
export const sandboxSettings = z.strictObject({
  driver: z.enum(SANDBOX_DRIVERS).default('bwrap').meta({
    description:
      'Where it does not work, only the demo agent is run. `bwrap`: bubblewrap. `container`: each program of a run in a container, by podman or docker. `sidecar`: in other containers of the worker\u2019s pod, for `worker --once` (deploy/kubernetes). `direct`: no isolation: agents have the rights of the worker\u2019s user.',
  }),
  engine: z.enum(CONTAINER_ENGINES).optional().meta({
    description:
      'What makes the containers of the driver `container`; the first of podman and docker that answers if absent.',
  }),
  read_only: z.array(shownPath).max(256).default([]).meta({
    description:
      'More files and directories that runs see, read-only, such as tools that lie in a home. `runlink doctor` prints the whole list.',
  }),
});
