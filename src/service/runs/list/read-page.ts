import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { ServiceTables } from '../../tables.ts';
import type { ListPlan } from './list-plan.ts';
import { all, asked, type RunCondition } from './run-filters.ts';
import { ITEM_COLUMNS, type ItemRow } from '../item-row.ts';

/** A run with the value it was sorted by, as text. */
export type ListedRow = ItemRow & { sort_value: string | null };

/** One stretch of the sorted list that an index serves as it stands. */
export interface Stretch {
  filters: RunCondition[];
  /** What is sorted by, before the id. */
  value: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
}

type Db = Kysely<ServiceTables>;

/**
 * Runs looked at along a sort before all matches are collected instead: at least so many, and so many
 * for each one wanted. An index that holds what is asked is ten times quicker than the runs themselves.
 */
const LOOKED_AT = { inIndex: 30_000, inRuns: 3000 };
const LOOKED_AT_PER_RUN = 30;

/** The first `limit` runs of a stretch that fulfil a plan's conditions. */
export async function readPage(
  db: Db,
  plan: ListPlan,
  stretch: Stretch,
  limit: number,
): Promise<ListedRow[]> {
  if (plan.among.length === 0) {
    const within = all([...stretch.filters, ...plan.within.map(asked)]);
    return readServed(db, within, stretch, limit);
  }
  const found = plan.few ? undefined : await look(db, plan, stretch, limit);
  if (found) return found;
  // Few matches of the first are asked one by one; many of each are found by the index of each.
  const gathered = plan.gather.map(({ holds, finds = holds }, index) =>
    plan.few && index > 0 ? holds : finds,
  );
  return gatherAndSort(db, all([...stretch.filters, ...gathered]), stretch, limit);
}

/** The page's runs, in the order of `page (id, value)`. */
function pageOf(direction: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${ITEM_COLUMNS}, p.value::text as sort_value
    from page p join runs r on r.id = p.id order by p.value ${direction}, p.id ${direction}`;
}

/** Reads along an index that has the runs and their order. */
async function readServed(db: Db, within: RunCondition, stretch: Stretch, limit: number) {
  const direction = sql.raw(stretch.direction);
  const { rows } = await sql<ListedRow>`
    select ${ITEM_COLUMNS}, ${stretch.value}::text as sort_value from runs r where ${within}
    order by ${stretch.value} ${direction}, r.id ${direction} limit ${limit}`.execute(db);
  return rows;
}

/** Looks along the sort, so far and no further; undefined when the page was not full by then. */
async function lookAlong(
  db: Db,
  { within, among }: Record<'within' | 'among', RunCondition>,
  stretch: Stretch,
  { limit, most }: { limit: number; most: number },
): Promise<ListedRow[] | undefined> {
  const direction = sql.raw(stretch.direction);
  const { rows } = await sql<ListedRow & { fits: boolean; place: number }>`
    with page as materialized (
      select id, value, fits, place from (
        select *, row_number() over ()::int as place from (
          select r.id, ${stretch.value} as value, (${among}) is true as fits from runs r
          where ${within} order by ${stretch.value} ${direction}, r.id ${direction}
          limit ${most}) along) numbered
      where fits or place = ${most} limit ${limit})
    select ${ITEM_COLUMNS}, p.value::text as sort_value, p.fits, p.place
    from page p join runs r on r.id = p.id order by p.place`.execute(db);
  const found = rows.filter(({ fits }) => fits);
  const isCut = found.length < limit && rows.at(-1)?.place === most;
  return isCut ? undefined : found;
}

/** Collects all matches and sorts them. */
async function gatherAndSort(db: Db, matches: RunCondition, stretch: Stretch, limit: number) {
  const direction = sql.raw(stretch.direction);
  const { rows } = await sql<ListedRow>`
    with matching as materialized (
      select r.id, ${stretch.value} as value from runs r where ${matches}),
    page as (select id, value from matching order by value ${direction}, id ${direction} limit ${limit})
    ${pageOf(direction)}`.execute(db);
  return rows;
}

/** Looks along the sort; once more, further, where collecting would mean to read the runs themselves. */
async function look(
  db: Db,
  { within, among, gather }: ListPlan,
  stretch: Stretch,
  limit: number,
): Promise<ListedRow[] | undefined> {
  const isInIndex = among.every((condition) => condition.isDense);
  const conditions = {
    within: all([...stretch.filters, ...within.map(asked)]),
    among: all(among.map(asked)),
  };
  const least = isInIndex ? LOOKED_AT.inIndex : LOOKED_AT.inRuns;
  const most = Math.max(least, LOOKED_AT_PER_RUN * limit);
  const found = await lookAlong(db, conditions, stretch, { limit, most });
  const [only, ...more] = gather;
  const isGatheredInIndex = only?.inUpdateOrder === true && more.length === 0;
  if (found || isGatheredInIndex) return found;
  return lookAlong(db, conditions, stretch, { limit, most: most * 4 });
}
