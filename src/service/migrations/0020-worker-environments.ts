import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Ids of the environments that a worker is limited to; null if it takes any. */
export const workerEnvironments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table workers add column environments jsonb`.execute(db);
  },
};
