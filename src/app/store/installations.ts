import { sql } from 'kysely';
import { NOW, daysAgo, fromNow } from './database-time.ts';
import type { Replica } from './replica.ts';
import type { AppDb } from './tables.ts';

/** At most `count` writes in any `seconds`. */
export interface Window {
  count: number;
  seconds: number;
}

/**
 * Claims up to `limit` installations that have posts due and that no other replica writes for, so
 * that writes of one installation are serial with any number of replicas.
 */
export async function claimInstallations(
  db: AppDb,
  replica: Replica,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with due as (
      select i.id from installations i
      where (i.owner_until is null or i.owner_until < now())
        and (i.blocked_until is null or i.blocked_until <= now()) and not i.suspended
        and exists (
          select from posts p
          where p.installation_id = i.id and p.written < p.version and p.run_at <= now())
      limit ${limit}
      for update skip locked)
    update installations i
    set owner = ${replica.id}, owner_until = ${fromNow(replica.leaseMs)}
    from due where i.id = due.id
    returning i.id`.execute(db);
  return rows.map((row) => row.id);
}

export async function releaseInstallation(db: AppDb, replica: Replica, id: number): Promise<void> {
  await db
    .updateTable('installations')
    .set({ owner: null, owner_until: null })
    .where('id', '=', id)
    .where('owner', '=', replica.id)
    .execute();
}

/**
 * Renews the leases of the installations that this replica writes for; others that it claimed
 * expire.
 */
export async function renewInstallations(
  db: AppDb,
  replica: Replica,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('installations')
    .set({ owner_until: fromNow(replica.leaseMs) })
    .where('id', 'in', ids)
    .where('owner', '=', replica.id)
    .execute();
}

/** Stops all writes for this installation for `delayMs`. */
export async function blockInstallation(db: AppDb, id: number, delayMs: number): Promise<void> {
  await db
    .updateTable('installations')
    .set({ blocked_until: sql`greatest(blocked_until, ${fromNow(delayMs)})` })
    .where('id', '=', id)
    .execute();
}

/** Registers an installation, so that its writes get their turn. */
export async function rememberInstallation(db: AppDb, id: number): Promise<void> {
  await db
    .insertInto('installations')
    .values({ id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** GitHub says that an installation was suspended, removed, or restored. */
export async function setInstallation(
  db: AppDb,
  id: number,
  { suspended, gone }: { suspended: boolean; gone: boolean },
): Promise<void> {
  const said = { suspended, gone_at: gone ? NOW : null };
  await db
    .insertInto('installations')
    .values({ id, ...said })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(said))
    .execute();
}

/** The tables with rows of an installation. */
const KEPT = ['posts', 'requests', 'runs', 'repositories', 'writes', 'deliveries'] as const;

/** Deletes everything of installations that were removed this many days ago. */
export async function purgeInstallations(db: AppDb, days: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const gone = trx.selectFrom('installations').where('gone_at', '<', daysAgo(days));
    const rows = await gone.select('id').forUpdate().skipLocked().execute();
    const ids = rows.map((row) => row.id);
    if (ids.length === 0) return;
    for (const table of KEPT) {
      await trx.deleteFrom(table).where('installation_id', 'in', ids).execute();
    }
    await trx.deleteFrom('installations').where('id', 'in', ids).execute();
  });
}

/**
 * Counts this many writes if every window has room for them and this replica still owns the
 * installation. Returns how many milliseconds to wait otherwise; 0 means go.
 */
export async function takeWrites(
  db: AppDb,
  replica: Replica,
  id: number,
  windows: readonly Window[],
  writes: number,
): Promise<number> {
  const waits = windows.map(
    ({ count, seconds }) => sql`
      coalesce((select extract(epoch from at - now()) + ${seconds}::float8 from writes
        where installation_id = ${id} order by at desc offset ${Math.max(0, count - writes)} limit 1), 0)`,
  );
  const { rows } = await sql<{ waitMs: number }>`
    with pause as (
      select greatest(${sql.join([sql`0`, ...waits])}) * 1000 as ms,
        exists (select from installations where id = ${id} and owner = ${replica.id}
          and owner_until > now()) as owned),
    taken as (
      insert into writes (installation_id)
      select ${id} from pause, generate_series(1, ${writes}::integer) where ms = 0 and owned)
    select case when owned then ceil(ms) else 1000 end::float8 as "waitMs" from pause`.execute(db);
  return rows[0]?.waitMs ?? 0;
}

const WRITES_KEPT_MS = 61 * 60_000;

/** Deletes writes older than every window. */
export async function purgeWrites(db: AppDb): Promise<void> {
  await db.deleteFrom('writes').where('at', '<', fromNow(-WRITES_KEPT_MS)).execute();
}
