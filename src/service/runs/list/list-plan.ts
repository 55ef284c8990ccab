import { sql } from 'kysely';
import type { Db } from '../../tables.ts';
import type { Condition, RunCondition } from './run-filters.ts';

/**
 * With up to this many matches it is faster to collect all of them than to search along the sort
 * order. `inIndex`: one index has both the matches and the sort values; `inRuns`: the runs
 * themselves must be read.
 */
export const FEW = { inIndex: 30_000, inRuns: 3500 };

export type SortBy = 'updated_at' | 'created_at' | 'title' | 'agent';

/** How one list is read. */
export interface ListPlan {
  /**
   * How to collect the matches, if that is done, at once or because a search along the sort order
   * finds too few.
   */
  gather: Condition[];
  /** Whether the matches are so few that they are collected at once. */
  few: boolean;
  /**
   * Conditions for the search along the sort order: the index checks `within`, each run is checked
   * for `among`.
   */
  within: Condition[];
  among: Condition[];
}

/**
 * Puts the condition with the fewest matches first, if it has at most `most`. Each condition is
 * counted by its own index, and no further than `most`.
 */
export async function fewestFirst(
  db: Db,
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
 * Plans how to read a list. PostgreSQL assumes that matches are spread evenly over any sort order,
 * but the runs of a rare state, an old schedule or one person lie close together, and searching for
 * them along another order can mean reading every run. So we count the matches first.
 */
export async function planList(
  db: Db,
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
