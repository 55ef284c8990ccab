import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Ids of the only environments whose runs a worker takes; null for one that takes all. */
export const workerEnvironments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table workers add column environments jsonb`.execute(db);
  },
};
