import { z } from 'zod';

/** Who a request to the stand-in is made by. */
export const actor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), login: z.string() }),
  /** A GitHub App by its JSON web token; `jwt` is checked by emulate. */
  z.object({ kind: z.literal('app'), jwt: z.string() }),
  z.object({
    kind: z.literal('installation'),
    installationId: z.int(),
    permissions: z.record(z.string(), z.string()),
    /** Names of the repositories the token is narrowed to. */
    repositories: z.array(z.string()).optional(),
  }),
  z.object({ kind: z.literal('anonymous') }),
]);
export type StandInActor = z.infer<typeof actor>;
