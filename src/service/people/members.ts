import { sql } from 'kysely';
import type { Member } from '../../contract/people.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { Role } from '../../contract/role.ts';
import { recordAudit, actorOf, type AuditActor } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import type { Db } from '../tables.ts';

/** The people of a team by name, followed by those who were removed. */
export async function listMembers(db: Db, teamId: string, uid?: string): Promise<Member[]> {
  const { rows } = await sql<Member & { last_seen_at: Date | null }>`
    select u.id as uid, u.display_name, u.email, u.github_login, p.role, p.from_github,
      coalesce(k.live, 0) as keys, coalesce(s.live, 0) as sign_ins,
      greatest(k.seen, s.seen) as last_seen_at
    from (
      select team_id, user_id, role, from_github from memberships
      union all select team_id, user_id, null, false from removed_members
    ) p join users u on u.id = p.user_id
    left join (
      select user_id, max(last_used_at) as seen,
        (count(*) filter (where kind = 'personal' and revoked_at is null
          and (expires_at is null or expires_at > now())))::int as live
      from api_keys where team_id = ${teamId} group by user_id
    ) k on k.user_id = u.id
    left join (
      select user_id, max(coalesce(last_seen_at, created_at)) as seen,
        (count(*) filter (where expires_at > now()))::int as live
      from sessions where team_id = ${teamId} group by user_id
    ) s on s.user_id = u.id
    where p.team_id = ${teamId} ${uid === undefined ? sql`` : sql`and u.id::text = ${uid.toLowerCase()}`}
    order by p.role is null, lower(u.display_name), u.id`.execute(db);
  return rows.map((row) => ({ ...row, last_seen_at: row.last_seen_at?.toISOString() ?? null }));
}

/** Locks a team's people, so that two changes at once cannot remove its last owner. */
export async function lockPeople(trx: Db, teamId: string): Promise<void> {
  await trx.selectFrom('teams').where('id', '=', teamId).select('id').forUpdate().execute();
}

async function requireMember(trx: Db, teamId: string, uid: string): Promise<Member> {
  const [found] = await listMembers(trx, teamId, uid);
  if (!found) throw new ProblemError('resource_not_found');
  return found;
}

async function assertOwnerStays(trx: Db, teamId: string, uid: string): Promise<void> {
  const other = await trx
    .selectFrom('memberships')
    .where('team_id', '=', teamId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', uid)
    .select('user_id')
    .limit(1)
    .executeTakeFirst();
  if (!other)
    throw new ProblemError('conflict', {
      detail: 'A team needs an owner: make somebody else one first.',
    });
}

/** Adds somebody to a team, or changes their role there. */
export async function giveRole(
  trx: Db,
  by: AuditActor,
  of: { teamId: string; uid: string; name: string },
  given: { role: Role; from_github?: boolean },
): Promise<void> {
  const { teamId: team_id, uid: user_id } = of;
  const { role, from_github = false } = given;
  const before = await trx
    .selectFrom('memberships')
    .where('team_id', '=', team_id)
    .where('user_id', '=', user_id)
    .select('role')
    .executeTakeFirst();
  const now = from_github ? new Date() : null;
  const columns = { role, from_github, checked_at: now, asked_at: now };
  await trx
    .insertInto('memberships')
    .values({ team_id, user_id, ...columns })
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doUpdateSet(columns))
    .execute();
  await trx
    .deleteFrom('removed_members')
    .where('team_id', '=', team_id)
    .where('user_id', '=', user_id)
    .execute();
  if (before?.role === role) return;
  await recordAudit(trx, by, {
    teamId: team_id,
    action: before ? 'member.role_changed' : 'member.joined',
    object: { type: 'member', id: user_id, name: of.name },
    details: { role, ...(before && { before: before.role }) },
  });
}

/** Removes somebody from a team; their keys, sign-ins and pending requests there end at once. */
export async function takeOut(
  trx: Db,
  by: AuditActor,
  of: { teamId: string; uid: string; name: string },
  details: Record<string, string> = {},
): Promise<void> {
  const { teamId, uid } = of;
  for (const table of ['memberships', 'sessions', 'sign_in_links', 'login_requests'] as const)
    await trx.deleteFrom(table).where('team_id', '=', teamId).where('user_id', '=', uid).execute();
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('team_id', '=', teamId)
    .where('user_id', '=', uid)
    .where('revoked_at', 'is', null)
    .execute();
  await recordAudit(trx, by, {
    teamId,
    action: 'member.removed',
    object: { type: 'member', id: uid, name: of.name },
    details,
  });
}

/** PATCH of a member; also lets a removed one back in. */
export async function changeRole(
  { db }: Pick<ServiceContext, 'db'>,
  caller: TeamPrincipal,
  uid: string,
  role: Role,
): Promise<Member> {
  const { teamId } = caller;
  return db.transaction().execute(async (trx) => {
    await lockPeople(trx, teamId);
    const found = await requireMember(trx, teamId, uid);
    if (found.from_github && found.role !== role)
      throw new ProblemError('operation_not_supported', {
        detail: 'Their role comes from GitHub: change it there, or in sign_in of runlink.yaml.',
      });
    if (found.role === 'owner' && role !== 'owner') await assertOwnerStays(trx, teamId, found.uid);
    const { from_github } = found;
    const of = { teamId, uid: found.uid, name: found.display_name };
    if (found.role !== role) await giveRole(trx, actorOf(caller), of, { role, from_github });
    return requireMember(trx, teamId, uid);
  });
}

/**
 * DELETE of a member. Somebody who belongs through GitHub stays out until an owner lets them back
 * in.
 */
export async function removeMember(
  { db }: Pick<ServiceContext, 'db'>,
  caller: TeamPrincipal,
  uid: string,
): Promise<void> {
  const { teamId } = caller;
  await db.transaction().execute(async (trx) => {
    await lockPeople(trx, teamId);
    const found = await requireMember(trx, teamId, uid);
    if (found.role === null) throw new ProblemError('resource_not_found');
    if (found.role === 'owner') await assertOwnerStays(trx, teamId, found.uid);
    await takeOut(trx, actorOf(caller), { teamId, uid: found.uid, name: found.display_name });
    await trx
      .insertInto('removed_members')
      .values({ team_id: teamId, user_id: found.uid })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}
