import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { z } from 'zod';
import type { listRunsQuery, listRunsResponse } from '../../../contract/run.ts';
import type { ServiceContext } from '../../context.ts';
import { readableBy, type Reader } from '../../keys/spaces.ts';
import type { Db } from '../../tables.ts';
import { pageInfoOf, readCursor, writeCursor, type Cursor } from './cursor.ts';
import { FEW, fewestFirst } from './list-plan.ts';
import { all, asked, runFilters, type Condition } from './run-filters.ts';
import { ITEM_COLUMNS, type ItemRow } from '../item-row.ts';
import { toRunItems } from '../run-item.ts';
import { holdsAll, isIndexed, wordsOf, withMeanings, type Words } from './search-words.ts';

type Query = z.output<typeof listRunsQuery> & { q: string };

/** How many of the newest runs have their texts read one by one. */
const NEWEST = 2000;
/** Most hits among those, and most hits by the index of texts (docs/api.md). */
const FOUND_MAX = 500;
/** How many texts that the index finds are checked against the filters. */
const LOOKED_AT_MAX = 5000;
const BEST_FIRST = 'relevance';

interface Ranked {
  id: string;
  /** Whether it contains the words as typed. */
  exact: boolean;
  rank: number;
}

/** Ids of runs that match `q`, for a list in another order. */
export async function findLike(
  context: ServiceContext,
  space: string,
  q: string,
  filters: readonly Condition[],
): Promise<string[]> {
  const typed = wordsOf(q);
  const words = (await withMeanings(context, typed)) ?? typed;
  const ids = await holding(context, space, words, filters);
  const { rows } = await byIndex(context, (trx) => sql<{ id: string }>`${ids}`.execute(trx));
  return rows.map((row) => row.id);
}

/** Matches runs after the last one of the previous page. */
function afterRank(cursor: Cursor | undefined) {
  if (!cursor) return sql`true`;
  const [exact, rank, createdAt] = (cursor.value ?? '').split(' ');
  return sql`(exact, rank, created_at, id) <
    (${exact}::boolean, ${rank}::float8, ${createdAt}::timestamptz, ${cursor.id}::uuid)`;
}

/**
 * How similar a run's title or skill is to the search; without trigrams, whether the title contains
 * it.
 */
function likeness({ trigrams }: ServiceContext, q: string) {
  if (!trigrams) return sql`${holdsAll(wordsOf(q), sql`r.title`)}::int::float8`;
  return sql`greatest(word_similarity(${q}, r.title),
    0.9 * word_similarity(${q}, coalesce(r.skill_spec, '')))::float8`;
}

/**
 * Ranks the ids: best first, and newer runs first among equals. Without `typed` all count as exact.
 */
async function rank(
  context: ServiceContext,
  ids: RawBuilder<unknown>,
  typed: Words | undefined,
  { q, limit }: Query,
  cursor: Cursor | undefined,
): Promise<Ranked[]> {
  const exact = typed
    ? sql`(select ${holdsAll(typed, sql`t.body`)} from run_texts t where t.run_id = r.id)`
    : sql`true`;
  const { rows } = await byIndex(context, (trx) =>
    sql<Ranked>`
      with found as materialized (${ids}),
      ranked as materialized (
        select r.id, r.created_at, ${exact} as exact, ${likeness(context, q)} as rank
        from found join runs r on r.id = found.id)
      select id, exact, rank from ranked where ${afterRank(cursor)}
      order by exact desc, rank desc, created_at desc, id desc limit ${limit + 1}`.execute(trx),
  );
  return rows;
}

/**
 * Runs that contain the words as typed. If they do not fill the page, also runs with similar words.
 */
async function search(
  context: ServiceContext,
  reader: Reader,
  query: Query,
  cursor: Cursor | undefined,
): Promise<Ranked[]> {
  const holdingAny = async (words: Words): Promise<RawBuilder<unknown>> => {
    const found = readableBy(reader).map((space) =>
      holding(context, space, words, runFilters(context, space, query)),
    );
    const parts = (await Promise.all(found)).map((part) => sql`(${part})`);
    return sql.join(parts, sql` union all `);
  };
  const typed = wordsOf(query.q);
  const isBeyondTyped = cursor?.value?.startsWith('false') ?? false;
  const found = isBeyondTyped
    ? []
    : await rank(context, await holdingAny(typed), undefined, query, cursor);
  const meant = found.length > query.limit ? undefined : await withMeanings(context, typed);
  if (!meant) return found;
  const ids = await holdingAny(meant);
  return rank(context, ids, typed, query, cursor);
}

/** GET /agent/runs?q=…&sort_by=relevance: the best matches for `q` first. */
export async function searchRuns(
  context: ServiceContext,
  reader: Reader,
  query: Query,
): Promise<z.output<typeof listRunsResponse>> {
  const { db, secrets } = context;
  const sort = { sortBy: BEST_FIRST, sortOrder: query.q };
  const cursor =
    query.cursor === undefined ? undefined : readCursor(secrets.cursor, query.cursor, sort);
  const ranked = await search(context, reader, query, cursor);
  const found = await readByIds(
    db,
    ranked.slice(0, query.limit).map(({ id }) => id),
  );
  const page = ranked.slice(0, query.limit).flatMap(({ id }) => found.get(id) ?? []);
  const last = ranked[query.limit - 1];
  const lastRow = page.at(-1);
  const next =
    ranked.length > query.limit && last && lastRow
      ? writeCursor(secrets.cursor, {
          ...sort,
          value: `${last.exact} ${last.rank} ${lastRow.created_at.toISOString()}`,
          id: last.id,
        })
      : undefined;
  return {
    runs: await toRunItems(db, page, context),
    page_info: pageInfoOf(next),
  };
}

async function readByIds(db: Db, ids: readonly string[]): Promise<Map<string, ItemRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<ItemRow>`
    select ${ITEM_COLUMNS} from runs r where r.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Makes a query use the index of texts; PostgreSQL would prefer to read them one by one. */
function byIndex<T>({ db, trigrams }: ServiceContext, query: (trx: Db) => Promise<T>): Promise<T> {
  if (!trigrams) return query(db);
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('enable_seqscan', 'off', true)`.execute(trx);
    return query(trx);
  });
}

/**
 * Selects the ids of runs that contain the words. If few runs match the filters, all of those are
 * checked; otherwise the newest ones, and the first that the index of texts finds.
 */
async function holding(
  { db, trigrams }: ServiceContext,
  teamId: string,
  words: Words,
  filters: readonly Condition[],
): Promise<RawBuilder<unknown>> {
  const team = sql<SqlBool>`r.team_id = ${teamId}`;
  const { few, conditions } = await fewestFirst(db, team, filters, FEW.inRuns);
  const [first, ...others] = conditions;
  const fits = holdsAll(words, sql`t.body`);
  const read = sql`cross join lateral (
    select from run_texts t where t.run_id = r.id and ${fits} offset 0) t`;
  if (few && first)
    return sql`select r.id from runs r ${read}
      where ${all([team, first.finds ?? first.holds, ...others.map(asked)])}`;
  const holds = conditions.map(asked);
  const newest = sql`select r.id from (
    select * from runs r where ${team} order by r.created_at desc, r.id desc limit ${NEWEST}) r
    ${read} where ${all(holds)} limit ${FOUND_MAX}`;
  if (trigrams && !isIndexed(words)) return newest;
  return sql`(${newest}) union (select r.id from (
      select t.run_id from run_texts t where ${fits} limit ${LOOKED_AT_MAX}) t
    join runs r on r.id = t.run_id where ${all([team, ...holds])} limit ${FOUND_MAX})`;
}
