import { NOW, fromNow } from './database-time.ts';
import { jsonText } from './json.ts';
import type { AppDb } from './tables.ts';

/** This process among those that share the database. */
export interface Replica {
  id: string;
  /** How long its leases last without renewal. */
  leaseMs: number;
}

/** Takes or renews a named lease; false while another live replica holds it. */
export async function holdLease(db: AppDb, replica: Replica, name: string): Promise<boolean> {
  const held = { owner: replica.id, until: fromNow(replica.leaseMs) };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('leases')
    .values({ name, ...held })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(held)
        .where((it) => it.or([it('leases.owner', '=', replica.id), it('leases.until', '<', NOW)])),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function dropLeases(db: AppDb, replica: Replica): Promise<void> {
  await db.deleteFrom('leases').where('owner', '=', replica.id).execute();
}

/** A small value that outlives the process, such as how far a watch has come. */
export async function readFact(db: AppDb, name: string): Promise<unknown> {
  const found = db.selectFrom('facts').where('name', '=', name).select('value');
  return (await found.executeTakeFirst())?.value;
}

export async function writeFact(db: AppDb, name: string, fact: unknown): Promise<void> {
  const value = jsonText(fact);
  await db
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
