import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Divides a lane into tracks. Runs that name the same agent wait in one track, so that a worker
 * only looks at runs it can carry out. Runs that name no agent wait in a track with the lane's own
 * number, so lanes and tracks take their numbers from one sequence.
 */
export const tracks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table tracks (
        id integer primary key default nextval('lanes_id_seq'),
        lane integer not null references lanes on delete cascade,
        harness text not null,
        unique (lane, harness)
      )`.execute(db);
  },
};
