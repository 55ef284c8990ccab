import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const COUNTS = ['runs', 'succeeded', 'failed', 'errors', 'blocked', 'cancelled'];
const SUMS = ['cost_micros', 'total_tokens', 'pull_requests', 'merged_pull_requests'];
const CLASSES = Array.from({ length: 34 }, (_, at) => `took_${at}`);

/**
 * Daily counts of ended runs; and for each run what was counted, so that it can be subtracted
 * again.
 */
const STATEMENTS = [
  `create table run_facts (
    run_id uuid primary key,
    team_id uuid not null references teams on delete cascade,
    day date not null,
    keys text[] not null,
    outcome text not null,
    took smallint,
    ${SUMS.map((name) => `${name} bigint not null`).join(', ')}
  )`,
  `create table statistics (
    team_id uuid not null references teams on delete cascade,
    dimension text not null,
    key text not null,
    day date not null,
    ${[...COUNTS, ...SUMS, ...CLASSES].map((name) => `${name} bigint`).join(', ')},
    primary key (team_id, dimension, day, key)
  ) with (fillfactor = 70)`,
  `create table statistics_progress (
    is_only boolean primary key default true check (is_only),
    counted_at timestamptz not null,
    counted_id uuid not null
  )`,
  `insert into statistics_progress (counted_at, counted_id)
    values ('-infinity', '00000000-0000-0000-0000-000000000000')`,
];

export const statistics: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
