import { z } from 'zod';

/** How a worker isolates its runs. `direct` is no isolation. */
export const SANDBOX_DRIVERS = ['bwrap', 'direct'] as const;
export type SandboxDriver = (typeof SANDBOX_DRIVERS)[number];

const shownPath = z
  .string()
  .max(4096)
  .regex(/^\/(?!\/)[^\0]*[^\0/]$/, 'must be a full path, and not the root')
  .refine((path) => !path.split('/').includes('..'), 'must not contain ".."');

/** What a worker's runs are kept in. */
export const sandboxSettings = z.strictObject({
  driver: z.enum(SANDBOX_DRIVERS).default('bwrap').meta({
    description:
      '`bwrap`: bubblewrap; where it does not work, only the demo agent is run. `direct`: no isolation: agents have the rights of the worker\u2019s user.',
  }),
  read_only: z.array(shownPath).max(256).default([]).meta({
    description:
      'More files and directories that runs see, read-only, such as tools that lie in a home. `runlink doctor` prints the whole list.',
  }),
});
