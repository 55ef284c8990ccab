import { sql } from 'kysely';
import { jsonText } from './json.ts';
import type { AppDb } from './tables.ts';

/** This process among those that share the database. */
export interface Replica {
  id: string;
  /** How long what it holds stays its own without being renewed. */
  leaseSeconds: number;
}

/** Takes or renews a named lease; false while another live replica holds it. */
export async function holdLease(db: AppDb, replica: Replica, name: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into app.leases (name, owner, until)
    values (${name}, ${replica.id}, now() + make_interval(secs => ${replica.leaseSeconds}))
    on conflict (name) do update set owner = excluded.owner, until = excluded.until
    where app.leases.owner = excluded.owner or app.leases.until < now()`.execute(db);
  return numAffectedRows === 1n;
}

export async function dropLeases(db: AppDb, replica: Replica): Promise<void> {
  await db.deleteFrom('app.leases').where('owner', '=', replica.id).execute();
}

/** A small fact that outlives the process, such as how far a watch has come. */
export async function readFact(db: AppDb, name: string): Promise<unknown> {
  const found = db.selectFrom('app.facts').where('name', '=', name).select('value');
  return (await found.executeTakeFirst())?.value;
}

export async function writeFact(db: AppDb, name: string, value: unknown): Promise<void> {
  const stored = { value: sql`${jsonText(value)}::jsonb` };
  await db
    .insertInto('app.facts')
    .values({ name, ...stored })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(stored))
    .execute();
}
