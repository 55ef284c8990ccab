import { sql, type Kysely } from 'kysely';

/** Signed-in browsers, and one-time sign-in links. Only hashes of tokens are stored. */
export const sessions = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table sessions (
        token_hash bytea primary key,
        user_id uuid not null references users (id) on delete cascade,
        team_id uuid not null references teams (id) on delete cascade,
        key_id uuid references api_keys (id) on delete cascade,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null
      )`.execute(db);
    await sql`create index sessions_by_expiry on sessions (expires_at)`.execute(db);
    await sql`
      create table sign_in_links (
        token_hash bytea primary key,
        user_id uuid not null references users (id) on delete cascade,
        team_id uuid not null references teams (id) on delete cascade,
        expires_at timestamptz not null
      )`.execute(db);
  },
};
