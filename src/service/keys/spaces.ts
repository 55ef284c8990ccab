import { randomUUID } from 'node:crypto';
import type { Db } from '../tables.ts';
import type { TeamPrincipal } from './principal.ts';

export type Reader = Pick<TeamPrincipal, 'teamId' | 'ownSpace'>;

/**
 * The spaces whose runs a caller may read (interface.md 5.5): the team, and for a person also their
 * own space. Who may read a run is decided only here. `runs.team_id` names the team or one person's
 * space in it, so a query for a team's runs never finds a personal one.
 */
export function readableBy({ teamId, ownSpace }: Reader): [string, ...string[]] {
  return ownSpace === undefined ? [teamId] : [teamId, ownSpace];
}

/** A person's space in their team, created on first use. */
export async function spaceOf(db: Db, { teamId, uid, ownSpace }: TeamPrincipal): Promise<string> {
  if (ownSpace !== undefined) return ownSpace;
  const place = { team_id: teamId, user_id: uid };
  const id = randomUUID();
  await db.transaction().execute(async (trx) => {
    const team = { id, name: `personal:${id}`, created_at: new Date() };
    await trx.insertInto('teams').values(team).execute();
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('spaces')
      .values({ id, ...place })
      .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
      .executeTakeFirst();
    if (!numInsertedOrUpdatedRows) await trx.deleteFrom('teams').where('id', '=', id).execute();
  });
  const made = await db
    .selectFrom('spaces')
    .where('team_id', '=', teamId)
    .where('user_id', '=', uid)
    .select('id')
    .executeTakeFirstOrThrow();
  return made.id;
}

/**
 * The team that a space belongs to, whose workers, environments and scorers its runs use; a team's
 * own id is returned as it is.
 */
export async function teamOf(db: Db, space: string): Promise<string> {
  const found = await db
    .selectFrom('spaces')
    .where('id', '=', space)
    .select('team_id')
    .executeTakeFirst();
  return found?.team_id ?? space;
}
