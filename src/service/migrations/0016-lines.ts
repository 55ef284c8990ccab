import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const sumOf = (key: string): string =>
  `least(coalesce(sum((file ->> '${key}')::bigint), 0), 2147483647)`;

/** Stores with each run how many lines it changed; older runs are counted after the start. */
export const lines: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `alter table runs add column lines_added integer, add column lines_removed integer`,
  `create function keep_lines() returns trigger language plpgsql as $$
    begin
      update runs set (lines_added, lines_removed) = (
        select ${sumOf('additions')}, ${sumOf('deletions')}
        from jsonb_array_elements(new.data -> 'files') file)
      where id = new.run_id;
      return null;
    end $$`,
  `create trigger run_events_keep_lines after insert on run_events for each row
    when (new.type = 'changes') execute function keep_lines()`,
  // Null once every older run has been counted.
  `create table lines_progress (counted_to uuid)`,
  `insert into lines_progress values ('00000000-0000-0000-0000-000000000000')`,
];
