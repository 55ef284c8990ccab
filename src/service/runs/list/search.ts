import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { z } from 'zod';
import type { listRunsQuery, listRunsResponse } from '../../../contract/run.ts';
import type { ServiceContext } from '../../context.ts';
import { readableBy, type Reader } from '../../keys/spaces.ts';
import type { ServiceTables } from '../../tables.ts';
import { pageInfoOf, readCursor, writeCursor, type Cursor } from './cursor.ts';
import { FEW, fewestFirst } from './list-plan.ts';
import { all, asked, runFilters, type Condition } from './run-filters.ts';
import { ITEM_COLUMNS, type ItemRow } from '../item-row.ts';
import { toRunItems } from '../run-item.ts';
import { holdsAll, isIndexed, wordsOf, withMeanings, type Words } from './search-words.ts';

type Query = z.output<typeof listRunsQuery> & { q: string };

/** Newest runs whose texts are read one by one. */
const NEWEST = 2000;
/** Runs that count of those, and as many that the index of texts finds first (docs/api.md). */
const FOUND_MAX = 500;
/** Of texts that the index finds, how many are held against the filters. */
const LOOKED_AT_MAX = 5000;
const BEST_FIRST = 'relevance';

interface Ranked {
  id: string;
  /** Whether it holds the words as they were typed. */
  exact: boolean;
  rank: number;
}

/** The ids of runs like `q`, for a list in another order. */
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

/** After the page that ended with this likeness, creation and id. */
function afterRank(cursor: Cursor | undefined) {
  if (!cursor) return sql`true`;
  const [exact, rank, createdAt] = (cursor.value ?? '').split(' ');
  return sql`(exact, rank, created_at, id) <
    (${exact}::boolean, ${rank}::float8, ${createdAt}::timestamptz, ${cursor.id}::uuid)`;
}

/** How like a run's title or skill is what was typed; without trigrams, whether its title holds it. */
function likeness({ trigrams }: ServiceContext, q: string) {
  if (!trigrams) return sql`${holdsAll(wordsOf(q), sql`r.title`)}::int::float8`;
  return sql`greatest(word_similarity(${q}, r.title),
    0.9 * word_similarity(${q}, coalesce(r.skill_spec, '')))::float8`;
}

/** Ids with their ranks, best first, newer runs first among equals; all are exact where nothing is `typed`. */
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

/** Those that hold the words as typed; where these do not fill the page, also those that hold like ones. */
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

/** GET /agent/runs?q=…&sort_by=relevance: the runs most like `q` first. */
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

async function readByIds(
  db: Kysely<ServiceTables>,
  ids: readonly string[],
): Promise<Map<string, ItemRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<ItemRow>`
    select ${ITEM_COLUMNS} from runs r where r.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Lets a query find its texts by their index, which PostgreSQL would rather read one by one. */
function byIndex<T>(
  { db, trigrams }: ServiceContext,
  query: (trx: Kysely<ServiceTables>) => Promise<T>,
): Promise<T> {
  if (!trigrams) return query(db);
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('enable_seqscan', 'off', true)`.execute(trx);
    return query(trx);
  });
}

/**
 * Ids of the runs that hold the words. If few runs fulfil the filters, all of these are looked at; otherwise
 * the newest, and those whose texts the index finds first.
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
