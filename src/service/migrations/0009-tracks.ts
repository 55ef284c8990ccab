import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The tracks of a lane: the runs in it that name one agent wait in one of their own, so that a worker
 * looks only at those it can carry out. Runs that name none wait in the lane's own, whose number is the
 * lane's; so the numbers of both come from one sequence.
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
