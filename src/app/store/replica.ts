import { sql, type Kysely } from 'kysely';
import { jsonText } from './json.ts';

/** This process among those that share the database. */
export interface Replica {
  id: string;
  /** How long what it holds stays its own without being renewed. */
  leaseSeconds: number;
}

/** Takes or renews a named lease; false while another live replica holds it. */
export async function holdLease(
  db: Kysely<unknown>,
  replica: Replica,
  name: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into app.leases (name, owner, until)
    values (${name}, ${replica.id}, now() + make_interval(secs => ${replica.leaseSeconds}))
    on conflict (name) do update set owner = excluded.owner, until = excluded.until
    where app.leases.owner = excluded.owner or app.leases.until < now()`.execute(db);
  return numAffectedRows === 1n;
}

export async function dropLeases(db: Kysely<unknown>, replica: Replica): Promise<void> {
  await sql`delete from app.leases where owner = ${replica.id}`.execute(db);
}

/** A small fact that outlives the process, such as how far a watch has come. */
export async function readFact(db: Kysely<unknown>, name: string): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`
    select value from app.facts where name = ${name}`.execute(db);
  return rows[0]?.value;
}

export async function writeFact(db: Kysely<unknown>, name: string, value: unknown): Promise<void> {
  await sql`
    insert into app.facts (name, value) values (${name}, ${jsonText(value)}::jsonb)
    on conflict (name) do update set value = excluded.value`.execute(db);
}
