import { sql, type AliasedRawBuilder, type RawBuilder } from 'kysely';

/** The database's clock decides, because those of the replicas may differ. */
export const NOW = sql<Date>`now()`;

export function fromNow(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${ms / 1000}::float8)`;
}

export function daysAgo(days: number): RawBuilder<Date> {
  return sql<Date>`now() - make_interval(days => ${days})`;
}

/** Age of the oldest row by this column; 0 if there are no rows. */
export function ageSeconds(column: string): AliasedRawBuilder<number, 'oldestSeconds'> {
  const oldest = sql`min(${sql.ref(column)})`;
  return sql<number>`coalesce(extract(epoch from now() - ${oldest}), 0)::float8`.as(
    'oldestSeconds',
  );
}
