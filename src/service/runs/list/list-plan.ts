import { sql, type Kysely } from 'kysely';
import type { ServiceTables } from '../../tables.ts';
import type { Condition, RunCondition } from './run-filters.ts';

/**
 * Up to here it is quicker to collect all matches than to look for them along the sort: by one index that
 * also holds what is sorted by, or from the runs themselves.
 */
export const FEW = { inIndex: 30_000, inRuns: 3500 };

export type SortBy = 'updated_at' | 'created_at' | 'title' | 'agent';

/** How one list is read. */
export interface ListPlan {
  /** How the matches are collected, where they are to be, and where looking along the sort finds too few. */
  gather: Condition[];
  /** Whether there are so few matches that they are collected at once. */
  few: boolean;
  /** What is looked for along the sort: `within` by the index that is walked along, `among` run by run. */
  within: Condition[];
  among: Condition[];
}

/** The condition first that has least matches, if any has at most so many; each that can be is counted by its own index, and never further. */
export async function fewestFirst(
  db: Kysely<ServiceTables>,
  team: RunCondition,
  conditions: readonly Condition[],
  most: number,
): Promise<{ few: boolean; conditions: Condition[] }> {
  const countable = conditions.filter((condition) => !condition.isUncounted);
  const counts = countable.map(
    ({ holds, finds = holds }) => sql`(select count(*) from (
      select 1 from runs r where ${team} and ${finds} limit ${sql.lit(most + 1)}) few)::int`,
  );
  if (counts.length === 0) return { few: false, conditions: [...conditions] };
  const { rows } = await sql<{ counted: number[] }>`
    select array[${sql.join(counts)}] as counted`.execute(db);
  const counted = rows[0]?.counted ?? [];
  const least = Math.min(...counted);
  if (least > most) return { few: false, conditions: [...conditions] };
  const rarest = countable[counted.indexOf(least)];
  const others = conditions.filter((condition) => condition !== rarest);
  return { few: true, conditions: rarest ? [rarest, ...others] : others };
}

/**
 * PostgreSQL assumes that matches are spread evenly over any sort. Runs are not: those of a rare state, an
 * old schedule or one person stand close together, and looking for them along another sort can mean reading
 * every run. So we look first how many there are.
 */
export async function planList(
  db: Kysely<ServiceTables>,
  team: RunCondition,
  sortBy: SortBy,
  conditions: readonly Condition[],
): Promise<ListPlan> {
  const bounds = conditions.filter((condition) => condition.bounds === sortBy);
  const others = conditions.filter((condition) => condition.bounds !== sortBy);
  const ordered =
    sortBy === 'updated_at' ? others.find((condition) => condition.inUpdateOrder) : undefined;
  const within = ordered ? [...bounds, ordered] : bounds;
  const among = others.filter((condition) => condition !== ordered);
  if (among.length === 0) return { gather: [], few: false, within, among };
  const [only, ...more] = conditions;
  const most = only?.inUpdateOrder && more.length === 0 ? FEW.inIndex : FEW.inRuns;
  const { few, conditions: gather } = await fewestFirst(db, team, conditions, most);
  return { gather, few, within, among };
}
