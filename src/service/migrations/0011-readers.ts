import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The owner of a personal run, and when the key expires with which a sign-in was approved. */
export const readers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table runs add column owner_uid text`.execute(db);
    await sql`alter table login_requests add column key_expires_at timestamptz`.execute(db);
  },
};
