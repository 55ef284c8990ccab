import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Images that come with a follow-up. */
export const attachments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table run_attachments (
      id uuid primary key,
      run_id uuid not null references runs on delete cascade,
      file_name text not null,
      mime_type text not null,
      data text,
      followup_id uuid,
      created_at timestamptz(3) not null default now()
    )`.execute(db);
    await sql`create index run_attachments_of_run on run_attachments (run_id, followup_id)`.execute(
      db,
    );
  },
};
