import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Messages between runs. */
export const messages: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table run_messages (
      id uuid primary key,
      run_id uuid not null references runs on delete cascade,
      sender_run_id uuid not null,
      subject text not null,
      body text not null,
      sent_at timestamptz(3) not null,
      delivered_at timestamptz(3),
      read_at timestamptz(3)
    )`.execute(db);
    await sql`create index run_messages_of_run on run_messages (run_id, sent_at)`.execute(db);
  },
};
