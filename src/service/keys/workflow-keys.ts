import { hash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { TrustEntry } from '../../config/trust.ts';
import { ProblemError } from '../../contract/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import { createKeyText, hashSecret } from './key-text.ts';
import { ensureTeam } from './manage-keys.ts';
import { TOKEN_MAX_AGE_SECONDS, createVerifier } from './verify-token.ts';

/** Longer than any token is accepted: as long as the key's row exists, its token counts as used. */
const KEY_LIVES_SECONDS = TOKEN_MAX_AGE_SECONDS + 300;

/**
 * The claims that are read from a token (github.md, "Signing in without a secret"); `sub` has no
 * fixed format and is never read.
 */
const claims = z.object({
  iss: z.string(),
  jti: z.string(),
  repository: z.string(),
  repository_id: z.string(),
  ref: z.string(),
  workflow_ref: z.string(),
  event_name: z.string(),
  environment: z.string().optional(),
});
type Claims = z.infer<typeof claims>;

/** Gives the job of a trusted workflow a key for a quarter of an hour, once per token. */
export function createTokenExchange({ db, config, publicUrl }: ServiceContext) {
  const verify = createVerifier(new Set(config.trust.map(({ issuer }) => issuer)));
  return async (token: string): Promise<{ api_key: string; expires_at: string }> => {
    const read = claims.safeParse(await verify(token, publicUrl()));
    if (!read.success)
      throw new ProblemError('authentication_required', {
        detail: `The token does not belong to a workflow: ${z.prettifyError(read.error)}`,
      });
    const entry = trustedBy(config.trust, read.data);
    const api_key = createKeyText();
    const expires_at = new Date(Date.now() + KEY_LIVES_SECONDS * 1000);
    await db
      .deleteFrom('workflow_keys')
      .where('expires_at', '<', sql<Date>`now()`)
      .execute();
    const team_id = await ensureTeam(db, entry.team);
    const subject = subjectOf(read.data);
    await db.transaction().execute(async (trx) => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('workflow_keys')
        .values({
          id: randomUUID(),
          hash: hashSecret(api_key),
          token_hash: digest(read.data.iss, read.data.jti),
          subject,
          name: read.data.repository,
          team_id,
          role: entry.role,
          expires_at,
        })
        .onConflict((conflict) => conflict.column('token_hash').doNothing())
        .executeTakeFirst();
      if (!numInsertedOrUpdatedRows)
        throw new ProblemError('authentication_required', {
          detail: 'This token was used before. Ask GitHub for a new one.',
        });
      const name = read.data.repository;
      await recordAudit(
        trx,
        { type: 'workflow', uid: subject, display_name: name },
        {
          teamId: team_id,
          action: 'workflow.signed_in',
          object: { type: 'repository', id: read.data.repository_id, name },
          details: {
            workflow: read.data.workflow_ref,
            event: read.data.event_name,
            role: entry.role,
          },
        },
      );
    });
    return { api_key, expires_at: expires_at.toISOString() };
  };
}

/**
 * The first trust entry that matches the claims. Throws `not_authorized` and says what the token
 * claims.
 */
function trustedBy(trust: readonly TrustEntry[], token: Claims): TrustEntry {
  const entry = trust.find((one) => isTrusted(one, token));
  if (entry) return entry;
  const { repository, repository_id, ref, workflow_ref, event_name, environment } = token;
  const said = `repository ${repository} (${repository_id}), ref ${ref}, workflow ${workflow_ref}, event ${event_name}, environment ${environment ?? 'none'}`;
  throw new ProblemError('not_authorized', {
    detail: `No entry of trust in runlink.yaml fits this token: ${said}.`,
  });
}

function isTrusted(entry: TrustEntry, token: Claims): boolean {
  return (
    entry.issuer === token.iss &&
    entry.repository_id === token.repository_id &&
    (entry.ref ?? token.ref) === token.ref &&
    (entry.environment ?? token.environment) === token.environment &&
    (entry.workflow ?? workflowOf(token)) === workflowOf(token) &&
    (entry.events?.includes(token.event_name) ?? !token.event_name.startsWith('pull_request'))
  );
}

/**
 * From `acme/web/.github/workflows/agent.yml@refs/heads/main` only the file's path, because the
 * repository may be renamed.
 */
function workflowOf({ workflow_ref }: Claims): string {
  return workflow_ref.split('@', 1)[0]?.split('/').slice(2).join('/') ?? '';
}

const digest = (...parts: string[]): Buffer => hash('sha256', JSON.stringify(parts), 'buffer');

/** One id for all jobs of a repository, because requesters are identified by an id. */
function subjectOf({ iss, repository_id }: Claims): string {
  const hex = digest(iss, repository_id).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
