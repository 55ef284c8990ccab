import { sql, type Kysely } from 'kysely';
import type { ServiceTables } from '../tables.ts';
import type { Filter, RunFilters } from './run-filters.ts';

/** Up to here it is quicker to collect all matches than to look for them along the sort. */
const FEW = 3500;

type SortBy = 'updated_at' | 'created_at' | 'title' | 'agent';

/** Whether some condition alone has few matches; each is counted by its own index, and never further. */
async function someAreFew(
  db: Kysely<ServiceTables>,
  team: Filter,
  filters: readonly Filter[],
): Promise<boolean> {
  const counts = filters.map(
    (filter) => sql`(select count(*) from (
      select 1 from runs r where ${team} and ${filter} limit ${sql.lit(FEW + 1)}) few)::int`,
  );
  const { rows } = await sql<{ least: number }>`
    select least(${sql.join(counts)}) as least`.execute(db);
  return (rows[0]?.least ?? Infinity) <= FEW;
}

/**
 * PostgreSQL takes matches to be spread evenly over any sort, which runs are not: a rare state, an old
 * schedule or one person's runs stand close together, and looking for them along another sort can mean
 * reading every run. So we look first how many there are.
 */
export async function shouldGather(
  db: Kysely<ServiceTables>,
  team: Filter,
  sortBy: SortBy,
  { facets, others, times }: RunFilters,
): Promise<boolean> {
  const served = sortBy === 'updated_at' && facets.length === 1 && others.length === 0;
  const timed = sortBy === 'title' || sortBy === 'agent' ? times : [];
  const candidates = [...(served ? [] : facets), ...others, ...timed];
  return candidates.length > 0 && someAreFew(db, team, candidates);
}
