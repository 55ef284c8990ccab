import type { Selectable } from 'kysely';
import type { Identity } from '../../contract/identity.ts';
import { ProblemError } from '../../contract/problem.ts';
import { uuid } from '../../contract/primitives.ts';
import type { ServiceContext } from '../context.ts';
import type { Db, IdentitiesTable } from '../tables.ts';

type IdentityRow = Selectable<IdentitiesTable>;
type ReadContext = Pick<ServiceContext, 'config'> & { db: Db };

/**
 * A team's agents, oldest first. The plan's limit counts in this order; agents beyond it are not
 * available (interface.md 2, 8).
 */
export async function listIdentities(reader: ReadContext, teamId: string): Promise<Identity[]> {
  const rows = await reader.db
    .selectFrom('identities')
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .selectAll()
    .orderBy('created_at')
    .orderBy('uid')
    .execute();
  const limit = reader.config.limits.agents_per_team;
  return rows.map((row, index) => present(row, index < limit));
}

/** One agent of a team; undefined if it is unknown, deleted or another team's. */
export async function findIdentity(
  reader: ReadContext,
  teamId: string,
  uid: string,
): Promise<Identity | undefined> {
  if (!uuid.safeParse(uid).success) return undefined;
  const identities = await listIdentities(reader, teamId);
  return identities.find((identity) => identity.uid === uid.toLowerCase());
}

export async function requireIdentity(
  reader: ReadContext,
  teamId: string,
  uid: string,
): Promise<Identity> {
  const identity = await findIdentity(reader, teamId, uid);
  if (!identity) throw new ProblemError('resource_not_found');
  return identity;
}

/**
 * Throws `not_authorized` for an agent beyond the plan's limit, which may not start runs or get
 * keys.
 */
export function requireAvailable(identity: Identity): void {
  if (identity.available) return;
  throw new ProblemError('not_authorized', {
    title: 'This agent is beyond the team’s plan limit.',
    detail: `The agent "${identity.name}" cannot be used until older agents are deleted.`,
  });
}

function present(row: IdentityRow, available: boolean): Identity {
  const { settings } = row;
  return {
    ...settings,
    uid: row.uid,
    name: row.name,
    available,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    description: settings.description ?? null,
    prompt: settings.prompt ?? null,
    secrets: settings.secrets ?? [],
    skills: settings.skills ?? [],
    memory: settings.memory ?? { auto_memory: { enabled: true }, attached_stores: [] },
    default_runner_uid: settings.default_runner_uid ?? '',
    on_behalf_of_enabled: settings.on_behalf_of_enabled ?? false,
  };
}
