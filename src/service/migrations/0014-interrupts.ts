import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores interrupts among the follow-ups, because they are handled in the same order. */
export const interrupts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table run_followups add column interrupt boolean`.execute(db);
  },
};
