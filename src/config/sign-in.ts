import { z } from 'zod';
import { filledText } from '../contract/primitives.ts';
import { ROLES } from '../contract/role.ts';

const digits = z.string().regex(/^[1-9]\d{0,19}$/, 'must be the organization’s number');

/** Which members of a GitHub organisation or team may sign in, and their role here. */
export const signInEntry = z.strictObject({
  organization_id: z
    .union([z.int().min(1), digits])
    .transform(String)
    .meta({
      description:
        'Number of the organisation, which stays when it is renamed: `gh api orgs/NAME --jq .id`.',
    }),
  github_team: filledText(255)
    .regex(/^[\w.-]+$/, 'must be the name in the team’s address')
    .optional()
    .meta({ description: 'Only members of this team of it, as in its address.' }),
  team: filledText(128)
    .default('default')
    .meta({ description: 'Name of the team they come into.' }),
  role: z
    .enum(ROLES)
    .default('member')
    .meta({ description: 'What they may do there; of several entries the most.' }),
});
export type SignInEntry = z.output<typeof signInEntry>;
