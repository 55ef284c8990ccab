import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** An index by end time, so that old runs can be found and deleted. */
export const retention: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index runs_by_end on runs (finished_at) where finished_at is not null`.execute(
      db,
    );
  },
};
