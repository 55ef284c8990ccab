import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Results for an `Idempotency-Key` other than runs. */
export const madeOnce: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table made_once (
      team_id uuid not null references teams on delete cascade,
      principal text not null,
      key text not null,
      body_hash bytea not null,
      answer json not null,
      created_at timestamptz(3) not null,
      primary key (team_id, principal, key)
    )`.execute(db);
    await sql`create index made_once_by_age on made_once (created_at)`.execute(db);
  },
};
