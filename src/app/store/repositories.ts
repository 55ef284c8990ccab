import { sql } from 'kysely';
import type { AppDb } from './tables.ts';

/** A repository as GitHub names it now. */
export interface KnownRepository {
  /** Stays the same when it is renamed or transferred. */
  id: number;
  /** `owner/name`. */
  name: string;
  installationId: number;
}

/**
 * Remembers a repository. What is kept of it goes with it when its name, its owner or the installation it
 * belongs to has changed: threads go on with their runs, and nothing is written twice.
 */
export async function followRepository(db: AppDb, repository: KnownRepository): Promise<void> {
  const { id, name, installationId } = repository;
  const known = await find(db, id);
  if (known?.name === name && known.installationId === installationId) return;
  await db.transaction().execute(async (trx) => {
    const now = { name, installation_id: installationId };
    await trx
      .insertInto('app.repositories')
      .values({ id, ...now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await sql`select from app.repositories where id = ${id} for update`.execute(trx);
    const before = await find(trx, id);
    await leaveName(trx, repository);
    if (before && before.name !== name) await rename(trx, before.name, name);
    await reinstall(trx, repository);
    await trx.updateTable('app.repositories').set(now).where('id', '=', id).execute();
  });
}

async function find(db: AppDb, id: number): Promise<KnownRepository | undefined> {
  const { rows } = await sql<KnownRepository>`
    select id::float8 as id, name, installation_id::float8 as "installationId"
    from app.repositories where id = ${id}`.execute(db);
  return rows[0];
}

/** A repository that had this name before keeps what is its own until it is heard of by another. */
async function leaveName(db: AppDb, { id, name }: KnownRepository): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id::float8 as id from app.repositories where name = ${name} and id <> ${id}`.execute(db);
  for (const other of rows) {
    const meanwhile = `?/${other.id}`;
    await rename(db, name, meanwhile);
    const still = db.updateTable('app.repositories').where('id', '=', other.id);
    await still.set({ name: meanwhile }).execute();
  }
}

async function rename(db: AppDb, from: string, to: string): Promise<void> {
  const [old, now] = [`${from}#`, `${to}#`];
  await dropTwins(db, from, to);
  for (const table of ['requests', 'runs', 'run_threads', 'pulls']) {
    await sql`
      update ${sql.table(`app.${table}`)} set repository = ${to}
      where repository = ${from}`.execute(db);
  }
  await sql`
    update app.posts
    set repository = ${to}, key = replace(key, ${old}, ${now}),
      target = replace(target::text, ${old}, ${now})::jsonb
    where repository = ${from}`.execute(db);
  await db.deleteFrom('app.configs').where('repository', 'in', [from, to]).execute();
}

/** What a run's artifacts named by the new name already is not to be there twice. */
async function dropTwins(db: AppDb, from: string, to: string): Promise<void> {
  await sql`
    delete from app.pulls p using app.pulls q
    where p.repository = ${from} and q.repository = ${to} and p.number = q.number`.execute(db);
  await sql`
    delete from app.run_threads p using app.run_threads q
    where p.repository = ${from} and q.repository = ${to} and p.run_id = q.run_id
      and p.number = q.number and p.reply_to is not distinct from q.reply_to`.execute(db);
  await sql`
    delete from app.posts p using app.posts q
    where p.repository = ${from} and q.id <> p.id
      and q.key = replace(p.key, ${`${from}#`}, ${`${to}#`})`.execute(db);
}

async function reinstall(db: AppDb, repository: KnownRepository): Promise<void> {
  const { name, installationId } = repository;
  for (const table of ['requests', 'runs', 'posts']) {
    await sql`
      update ${sql.table(`app.${table}`)} set installation_id = ${installationId}
      where repository = ${name} and installation_id <> ${installationId}`.execute(db);
  }
  await db
    .insertInto('app.installations')
    .values({ id: installationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
