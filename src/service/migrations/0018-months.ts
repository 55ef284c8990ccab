import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const COUNTS = ['runs', 'succeeded', 'failed', 'errors', 'blocked', 'cancelled'];
const SUMS = ['cost_micros', 'total_tokens', 'pull_requests', 'merged_pull_requests'];
const CLASSES = Array.from({ length: 34 }, (_, at) => `took_${at}`);
const COLUMNS = [...COUNTS, ...SUMS, ...CLASSES];

const list = (write: (name: string) => string): string => COLUMNS.map(write).join(', ');

/** Adds the changes of these daily rows to their months. */
const keep = (rows: string): string => `
  insert into monthly_statistics (team_id, dimension, month, key, ${list((name) => name)})
  select team_id, dimension, date_trunc('month', day::timestamp)::date, key,
    ${list((name) => `nullif(sum(sign * ${name}), 0)`)}
  from (${rows}) changed
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (team_id, dimension, month, key) do update set
    ${list((name) => `${name} = nullif(coalesce(monthly_statistics.${name}, 0) + coalesce(excluded.${name}, 0), 0)`)};`;
const FRESH = 'select 1 as sign, * from fresh where in_month';

/**
 * Monthly sums of the daily counts, updated with every change of them. Older days have no
 * `in_month`; they are added in batches after the start, until `months_progress` is empty.
 */
const STATEMENTS = [
  `create table monthly_statistics (
    team_id uuid not null references teams on delete cascade,
    dimension text not null,
    key text not null,
    month date not null,
    ${list((name) => `${name} bigint`)},
    primary key (team_id, dimension, month, key)
  ) with (fillfactor = 70)`,
  `alter table statistics add column in_month boolean`,
  `alter table statistics alter column in_month set default true`,
  `create function keep_months() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then ${keep(FRESH)}
      else ${keep(`${FRESH} union all select -1, * from stale where in_month`)}
      end if;
      return null;
    end $$`,
  `create trigger statistics_keep_months_of_new after insert on statistics
    referencing new table as fresh for each statement execute function keep_months()`,
  `create trigger statistics_keep_months after update on statistics
    referencing old table as stale new table as fresh for each statement execute function keep_months()`,
  `create table months_progress (
    team_id uuid not null, dimension text not null, day date not null, key text not null)`,
  `insert into months_progress select '00000000-0000-0000-0000-000000000000', '', '-infinity', ''
    where exists (select from statistics)`,
];

export const months: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
