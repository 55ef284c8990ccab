import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whose alone a run is, and when a key that a sign-in was approved with is over. */
export const readers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table runs add column owner_uid text`.execute(db);
    await sql`alter table login_requests add column key_expires_at timestamptz`.execute(db);
  },
};
