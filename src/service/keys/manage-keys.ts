import { randomUUID } from 'node:crypto';
import { sql, type SqlBool } from 'kysely';
import { RunlinkError } from '../../base/error.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { Role } from '../../contract/role.ts';
import {
  OPERATOR,
  SERVICE,
  recordAudit,
  together,
  type AuditActor,
} from '../audit/record-audit.ts';
import { findIdentity } from '../identities/read-identities.ts';
import { giveRole } from '../people/members.ts';
import type { Db } from '../tables.ts';
import { createKey, type CreatedKey } from './create-key.ts';

/** The team and the person that the first start creates. */
export const DEFAULT_TEAM = 'default';
export const OWNER = 'owner';

/** Finds or creates the team with this name; returns its id. */
export async function ensureTeam(db: Db, name: string): Promise<string> {
  await db
    .insertInto('teams')
    .values({ id: randomUUID(), name, created_at: sql`now()` })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { id } = await db
    .selectFrom('teams')
    .where('name', '=', name)
    .select('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Finds or creates the person with this name and makes sure they are in the team, as its owner if
 * it has none. Returns their id.
 */
export async function ensureUser(
  db: Db,
  teamId: string,
  name: string,
  role?: Role,
): Promise<string> {
  await db
    .insertInto('users')
    .values({
      id: randomUUID(),
      name,
      display_name: name,
      email: name.includes('@') ? name : null,
      created_at: sql`now()`,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { id, display_name } = await db
    .selectFrom('users')
    .where('name', '=', name)
    .select(['id', 'display_name'])
    .executeTakeFirstOrThrow();
  const people = await db
    .selectFrom('memberships')
    .where('team_id', '=', teamId)
    .where((it) => it.or([it('user_id', '=', id), it('role', '=', 'owner')]))
    .select('user_id')
    .execute();
  if (role || !people.some(({ user_id }) => user_id === id)) {
    const given = role ?? (people.length > 0 ? 'member' : 'owner');
    const of = { teamId, uid: id, name: display_name };
    await together(db, (trx) => giveRole(trx, OPERATOR, of, { role: given }));
  }
  return id;
}

export interface PersonalKeyRequest {
  team: string;
  user: string;
  /**
   * If absent, the role stays as it is; somebody new becomes `member`, or `owner` if the team has
   * none.
   */
  role?: Role;
  name?: string;
  expiresAt?: Date;
}

/** Creates a personal key, and the team and person if needed. */
export async function createPersonalKey(db: Db, request: PersonalKeyRequest): Promise<CreatedKey> {
  const teamId = await ensureTeam(db, request.team);
  const userId = await ensureUser(db, teamId, request.user, request.role);
  return createKey(db, OPERATOR, {
    kind: 'personal',
    name: request.name ?? `${request.user}'s key`,
    team_id: teamId,
    user_id: userId,
    expires_at: request.expiresAt ?? null,
  });
}

/** Creates a key that can only take a team's runs. */
export async function createWorkerKey(db: Db, team: string): Promise<CreatedKey> {
  const teamId = await ensureTeam(db, team);
  return createKey(db, OPERATOR, { kind: 'worker', name: `worker of ${team}`, team_id: teamId });
}

/**
 * Creates a key for the worker built into this service, which serves every team. Revoke it when
 * that worker ends.
 */
export async function createBuiltInWorkerKey(db: Db): Promise<CreatedKey> {
  return createKey(db, SERVICE, { kind: 'worker', name: 'built-in worker', team_id: null });
}

export interface AgentKeyRequest {
  teamId?: string;
  name?: string;
  expiresAt?: Date | null;
  /** Default: the operator. */
  by?: AuditActor;
  textOf?: (id: string) => string;
}

/**
 * Creates a key for an agent. An agent beyond the team's plan limit gets none (interface.md 2.9).
 */
export async function createAgentKey(
  { db, config }: { db: Db; config: OperatorConfig },
  agentUid: string,
  { teamId, name, expiresAt, by, textOf }: AgentKeyRequest = {},
): Promise<CreatedKey> {
  const agent = await db
    .selectFrom('identities')
    .where(sql<string>`uid::text`, '=', agentUid.toLowerCase())
    .where('deleted_at', 'is', null)
    .$if(teamId !== undefined, (q) => q.where('team_id', '=', teamId ?? ''))
    .select(['uid', 'team_id', 'name'])
    .executeTakeFirst();
  if (!agent)
    throw new RunlinkError('unknown_agent', `There is no agent "${agentUid}".`, {
      hint: 'List them with GET /agent/identities.',
    });
  const identity = await findIdentity({ db, config }, agent.team_id, agent.uid);
  if (!identity?.available)
    throw new RunlinkError(
      'agent_unavailable',
      `The agent "${agent.name}" is beyond the plan limit of its team.`,
      { hint: 'Delete older agents, or raise limits.agents_per_team.' },
    );
  const key = {
    kind: 'agent',
    name: name ?? `key of ${agent.name}`,
    team_id: agent.team_id,
    agent_uid: agent.uid,
    expires_at: expiresAt ?? null,
  } as const;
  return createKey(db, by ?? OPERATOR, key, textOf);
}

/**
 * At the first start creates a team, its owner and the owner's key; does nothing if there is a
 * personal key already. `keep` gets the key before it is committed; if it throws, nothing is
 * created.
 */
export async function ensureOwner(
  db: Db,
  keep: (made: CreatedKey) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .selectFrom('service_secrets')
      .where('name', '=', 'cursor')
      .select('name')
      .forUpdate()
      .execute();
    const someone = await trx
      .selectFrom('api_keys')
      .where('kind', '=', 'personal')
      .select('id')
      .limit(1)
      .executeTakeFirst();
    if (!someone) await keep(await createPersonalKey(trx, { team: DEFAULT_TEAM, user: OWNER }));
  });
}

/**
 * Selects keys: `userId` alone, that person's; with a team, their keys there and those of the
 * team's agents. Without anything, all.
 */
export interface KeyFilter {
  userId?: string;
  teamId?: string;
  /** Everybody's keys in the team. */
  all?: boolean;
}

function ofHolder(filter: KeyFilter) {
  const [userId, teamId] = [filter.userId ?? null, filter.teamId ?? null];
  return sql<SqlBool>`(${userId}::uuid is null
    or (${teamId}::uuid is null and user_id = ${userId})
    or (team_id = ${teamId} and (${filter.all ?? false} or user_id = ${userId} or kind = 'agent')))`;
}

/**
 * What may be shown of keys that are not revoked, newest first, without those of runs: never a key
 * itself (threats.md S1).
 */
export async function listKeys(db: Db, filter: KeyFilter = {}) {
  return db
    .selectFrom('api_keys as k')
    .leftJoin('teams as t', 't.id', 'k.team_id')
    .leftJoin('users as u', 'u.id', 'k.user_id')
    .where('k.kind', '<>', 'run')
    .where('k.revoked_at', 'is', null)
    .where(ofHolder(filter))
    .select([
      'k.id',
      'k.kind',
      'k.name',
      'k.prefix',
      'k.suffix',
      't.name as team',
      'u.id as userUid',
      'u.name as user',
      'u.display_name as userName',
      'k.agent_uid as agentUid',
      'k.created_at as createdAt',
      'k.last_used_at as lastUsedAt',
      'k.expires_at as expiresAt',
    ])
    .orderBy('k.created_at', 'desc')
    .execute();
}

/**
 * Revokes a key, at once and on every node; false if there is no such key or it was revoked before.
 */
export async function revokeKey(
  db: Db,
  keyId: string,
  filter: KeyFilter = {},
  by: AuditActor = OPERATOR,
): Promise<boolean> {
  return together(db, async (trx) => {
    const revoked = await trx
      .updateTable('api_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where(sql<string>`id::text`, '=', keyId.toLowerCase())
      .where('revoked_at', 'is', null)
      .where(ofHolder(filter))
      .returning(['id', 'name', 'kind', 'team_id'])
      .executeTakeFirst();
    if (!revoked) return false;
    await recordAudit(trx, by, {
      teamId: revoked.team_id,
      action: 'key.revoked',
      object: { type: 'key', id: revoked.id, name: revoked.name },
      details: { kind: revoked.kind },
    });
    return true;
  });
}
