import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * How many runs a worker works on in all. Its free capacity is out of date while a claim is held.
 */
export const slots: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table workers add column slots integer`.execute(db);
  },
};
