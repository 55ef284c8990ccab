import { sql, type Kysely } from 'kysely';

/**
 * Keys of workflows that signed in with GitHub's token, and the tokens that were used (threats.md
 * S21).
 */
export const workflowKeys = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table workflow_keys (
        id uuid primary key,
        hash bytea not null unique,
        token_hash bytea not null unique,
        subject uuid not null,
        name text not null,
        team_id uuid not null references teams on delete cascade,
        role text not null check (role in ('member', 'reader')),
        expires_at timestamptz not null
      )`.execute(db);
    await sql`create index workflow_keys_by_expiry on workflow_keys (expires_at)`.execute(db);
  },
};
