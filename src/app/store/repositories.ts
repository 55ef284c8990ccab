import { sql } from 'kysely';
import { rememberInstallation } from './installations.ts';
import type { AppDb } from './tables.ts';

/** A repository as GitHub names it now. */
export interface KnownRepository {
  /** Stays the same when the repository is renamed or transferred. */
  id: string;
  /** `owner/name`. */
  name: string;
  installationId: number;
}

/** Read as text, like every id of GitHub's. */
const TEXT_ID = sql<string>`id::text`.as('id');

/**
 * Remembers a repository. If its name, owner or installation changed, everything stored for it
 * changes too, so that threads keep their runs and nothing is written twice.
 */
export async function followRepository(db: AppDb, repository: KnownRepository): Promise<void> {
  const { id, name, installationId } = repository;
  const known = await find(db, id);
  if (known?.name === name && known.installationId === installationId) return;
  await db.transaction().execute(async (trx) => {
    const now = { name, installation_id: installationId };
    await trx
      .insertInto('repositories')
      .values({ id, ...now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const before = await find(trx, id, true);
    await leaveName(trx, repository);
    if (before && before.name !== name) await rename(trx, before.name, name);
    await reinstall(trx, repository);
    await trx.updateTable('repositories').set(now).where('id', '=', id).execute();
  });
}

async function find(db: AppDb, id: string, isLocked = false): Promise<KnownRepository | undefined> {
  return db
    .selectFrom('repositories')
    .where('id', '=', id)
    .select(['name', 'installation_id as installationId'])
    .select(TEXT_ID)
    .$if(isLocked, (found) => found.forUpdate())
    .executeTakeFirst();
}

/** Frees a name: a repository that had it before keeps its rows until we hear its new name. */
async function leaveName(db: AppDb, { id, name }: KnownRepository): Promise<void> {
  const named = db.selectFrom('repositories').where('name', '=', name);
  const rows = await named.where('id', '<>', id).select(TEXT_ID).execute();
  for (const other of rows) {
    const meanwhile = `?/${other.id}`;
    await rename(db, name, meanwhile);
    const still = db.updateTable('repositories').where('id', '=', other.id);
    await still.set({ name: meanwhile }).execute();
  }
}

async function rename(db: AppDb, from: string, to: string): Promise<void> {
  const [old, now] = [`${from}#`, `${to}#`];
  await dropTwins(db, from, to);
  for (const table of ['requests', 'runs', 'run_threads', 'pulls'] as const) {
    await db.updateTable(table).set({ repository: to }).where('repository', '=', from).execute();
  }
  await db
    .updateTable('posts')
    .set({
      repository: to,
      key: sql`replace(key, ${old}, ${now})`,
      target: sql`replace(target::text, ${old}, ${now})::jsonb`,
    })
    .where('repository', '=', from)
    .execute();
  await db.deleteFrom('configs').where('repository', 'in', [from, to]).execute();
}

/** Deletes what the new name has already, so that nothing is there twice. */
async function dropTwins(db: AppDb, from: string, to: string): Promise<void> {
  await sql`
    delete from pulls p using pulls q
    where p.repository = ${from} and q.repository = ${to} and p.number = q.number`.execute(db);
  await sql`
    delete from run_threads p using run_threads q
    where p.repository = ${from} and q.repository = ${to} and p.run_id = q.run_id
      and p.number = q.number and p.reply_to is not distinct from q.reply_to`.execute(db);
  await sql`
    delete from posts p using posts q
    where p.repository = ${from} and q.id <> p.id
      and q.key = replace(p.key, ${`${from}#`}, ${`${to}#`})`.execute(db);
}

async function reinstall(
  db: AppDb,
  { name, installationId: installation_id }: KnownRepository,
): Promise<void> {
  for (const table of ['requests', 'runs', 'posts'] as const) {
    await db
      .updateTable(table)
      .set({ installation_id })
      .where('repository', '=', name)
      .where('installation_id', '<>', installation_id)
      .execute();
  }
  await rememberInstallation(db, installation_id);
}
