import { z } from 'zod';

/** Who sent a request to the stand-in. */
export const actor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), login: z.string() }),
  /** A GitHub App with its JSON web token; emulate checks the `jwt`. */
  z.object({ kind: z.literal('app'), jwt: z.string() }),
  z.object({
    kind: z.literal('installation'),
    installationId: z.int(),
    permissions: z.record(z.string(), z.string()),
    /** Names of the repositories that the token is limited to. */
    repositories: z.array(z.string()).optional(),
  }),
  z.object({ kind: z.literal('anonymous') }),
]);
export type StandInActor = z.infer<typeof actor>;
