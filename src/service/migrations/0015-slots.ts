import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How many runs a worker works on in all: what it would still take is old while a claim is held. */
export const slots: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table workers add column slots integer`.execute(db);
  },
};
