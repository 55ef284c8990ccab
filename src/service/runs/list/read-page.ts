import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../tables.ts';
import type { ListPlan } from './list-plan.ts';
import { all, asked, type RunCondition } from './run-filters.ts';
import { ITEM_COLUMNS, type ItemRow } from '../item-row.ts';

/** A run with its sort value as text. */
export type ListedRow = ItemRow & { sort_value: string | null };

/** A part of the sorted list that one index can read in order. */
export interface Stretch {
  filters: RunCondition[];
  /** The sort value; ties are ordered by id. */
  value: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
}

/**
 * How many runs to check along a sort order before collecting all matches instead: at least this
 * many, and this many per wanted run. An index that contains the checked columns is ten times
 * faster than the runs themselves.
 */
const LOOKED_AT = { inIndex: 30_000, inRuns: 3000 };
const LOOKED_AT_PER_RUN = 30;

/** The first `limit` runs of a stretch that match a plan's conditions. */
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
  // With few matches of the first condition check the others run by run; with many use each
  // condition's index.
  const gathered = plan.gather.map(({ holds, finds = holds }, index) =>
    plan.few && index > 0 ? holds : finds,
  );
  return gatherAndSort(db, all([...stretch.filters, ...gathered]), stretch, limit);
}

/** Reads the runs of `page (id, value)`, in its order. */
function pageOf(direction: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${ITEM_COLUMNS}, p.value::text as sort_value
    from page p join runs r on r.id = p.id order by p.value ${direction}, p.id ${direction}`;
}

/** Reads along an index that serves both conditions and order. */
async function readServed(db: Db, within: RunCondition, stretch: Stretch, limit: number) {
  const direction = sql.raw(stretch.direction);
  const { rows } = await sql<ListedRow>`
    select ${ITEM_COLUMNS}, ${stretch.value}::text as sort_value from runs r where ${within}
    order by ${stretch.value} ${direction}, r.id ${direction} limit ${limit}`.execute(db);
  return rows;
}

/** Searches along the sort order up to a limit; undefined if the page was not full by then. */
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

/**
 * Searches along the sort order. Goes further a second time if collecting would have to read the
 * runs themselves.
 */
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
