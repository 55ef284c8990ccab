import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Spaces for personal runs: to a run, a person's space looks like a team of its own. */
export const spaces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table spaces (
        id uuid primary key references teams on delete cascade,
        team_id uuid not null references teams on delete cascade,
        user_id uuid not null references users on delete cascade,
        unique (team_id, user_id)
      )`.execute(db);
  },
};
