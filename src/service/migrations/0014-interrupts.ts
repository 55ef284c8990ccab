import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Signals that stop a turn stand among the follow-ups, in whose order they are acted on. */
export const interrupts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table run_followups add column interrupt boolean`.execute(db);
  },
};
