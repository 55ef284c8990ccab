import { sql, type SqlBool } from 'kysely';
import type { SignIn } from '../../contract/people.ts';
import { ProblemError } from '../../contract/problem.ts';
import { actorOf, recordAudit } from '../audit/record-audit.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { SESSION_KEY } from '../sessions/sessions.ts';
import type { Db } from '../tables.ts';

/** The caller's sign-ins, or with `everybody` the whole team's; the latest seen first. */
export async function listSignIns(
  db: Db,
  caller: TeamPrincipal,
  everybody: boolean,
): Promise<SignIn[]> {
  const rows = await db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .leftJoin('api_keys as k', 'k.id', 's.key_id')
    .where('s.team_id', '=', caller.teamId)
    .where('s.expires_at', '>', sql<Date>`now()`)
    .where('k.revoked_at', 'is', null)
    .where((k) => k.or([k('k.expires_at', 'is', null), k('k.expires_at', '>', sql<Date>`now()`)]))
    .$if(!everybody, (q) => q.where('s.user_id', '=', caller.uid))
    .select(['s.id', 's.via', 's.browser', 's.address', 's.created_at', 's.expires_at'])
    .select(['s.key_id', 'u.id as uid', 'u.display_name'])
    .select(sql<Date>`coalesce(s.last_seen_at, s.created_at)`.as('seen'))
    .orderBy('seen', 'desc')
    .limit(1000)
    .execute();
  return rows.map(({ id, uid, display_name, via, browser, address, ...row }) => ({
    id,
    person: { uid, display_name },
    via: via ?? (row.key_id ? 'key' : 'link'),
    browser,
    address,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.seen.toISOString(),
    expires_at: row.expires_at.toISOString(),
    is_current: caller.keyId === SESSION_KEY + id,
  }));
}

/** Signs a browser out: one's own, or, as an owner, any in the team. */
export async function endSignIn(db: Db, caller: TeamPrincipal, id: string): Promise<void> {
  const isOwner = caller.role === 'owner';
  await db.transaction().execute(async (trx) => {
    const ended = await trx
      .deleteFrom('sessions')
      .where(sql<string>`id::text`, '=', id.toLowerCase())
      .where('team_id', '=', caller.teamId)
      .where(sql<SqlBool>`(${isOwner} or user_id = ${caller.uid})`)
      .returning(['id', 'user_id'])
      .executeTakeFirst();
    if (!ended) throw new ProblemError('resource_not_found');
    const { display_name: name } = await trx
      .selectFrom('users')
      .where('id', '=', ended.user_id)
      .select('display_name')
      .executeTakeFirstOrThrow();
    await recordAudit(trx, actorOf(caller), {
      teamId: caller.teamId,
      action: 'sign_in.ended',
      object: { type: 'sign_in', id: ended.id, name },
    });
  });
}
