import { sql, type Kysely } from 'kysely';

/** Command lines that wait for somebody to approve them in a browser. */
export const logins = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table login_requests (
        id uuid primary key,
        user_code text not null unique,
        challenge text not null,
        client text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        approved boolean,
        user_id uuid references users (id) on delete cascade,
        team_id uuid references teams (id) on delete cascade
      )`.execute(db);
    await sql`create index login_requests_by_expiry on login_requests (expires_at)`.execute(db);
  },
};
