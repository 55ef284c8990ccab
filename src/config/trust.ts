import { z } from 'zod';
import { filledText } from '../contract/primitives.ts';

/**
 * Plain http is allowed only for a stand-in on this machine: whoever can change an issuer's keys
 * can be anybody.
 */
const ISSUER = /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$))/;

const NUMBER = 'must be the repository’s number';
const digits = z.string().regex(/^[1-9]\d{0,19}$/, NUMBER);

/** A workflow that may sign in with the OIDC token that GitHub gives it (threats.md S21). */
export const trustEntry = z.strictObject({
  issuer: z
    .url()
    .regex(ISSUER, 'must begin with https://')
    .refine((url) => !/[/?#]$/.test(url), 'must not end with "/"')
    .default('https://token.actions.githubusercontent.com')
    .meta({
      description:
        'Who signs the tokens. GitHub Enterprise Server: `https://HOST/_services/token`. With a slug of the enterprise: the default and `/SLUG`.',
    }),
  repository_id: z
    .union([z.int().min(1), digits], NUMBER)
    .transform(String)
    .meta({
      description:
        'Number of the repository, which stays when it is renamed: `gh api repos/OWNER/NAME --jq .id`.',
    }),
  ref: filledText(1024)
    .regex(/^refs\//, 'must begin with refs/, such as refs/heads/main')
    .regex(/^[^*?[]+$/, 'must name one ref, without a pattern')
    .optional()
    .meta({ description: 'Only workflows of this ref, such as `refs/heads/main`.' }),
  environment: filledText(255)
    .optional()
    .meta({ description: 'Only jobs in this environment of the repository.' }),
  workflow: filledText(1024)
    .regex(/^\.github\/workflows\/[^/*]+\.ya?ml$/, 'must be .github/workflows/NAME.yml')
    .optional()
    .meta({ description: 'Only this workflow, such as `.github/workflows/agent.yml`.' }),
  events: z.array(filledText(64)).min(1).max(64).optional().meta({
    description:
      'Only these events, such as `issue_comment`. Any if absent, but none that begins with `pull_request`: those run what a pull request brings.',
  }),
  team: filledText(128)
    .default('default')
    .meta({ description: 'Name of the team that it works in.' }),
  role: z.enum(['member', 'reader']).default('member').meta({
    description: '`member` starts and steers runs; `reader` only looks.',
  }),
});
export type TrustEntry = z.output<typeof trustEntry>;
