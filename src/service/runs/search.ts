import { sql, type Kysely, type SqlBool, type Transaction } from 'kysely';
import type { z } from 'zod';
import type { listRunsQuery, listRunsResponse } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { readCursor, writeCursor, type Cursor } from './cursor.ts';
import { isRunId } from './find-run.ts';
import { ITEM_COLUMNS } from './item-columns.ts';
import { runFilters, type Filter } from './run-filters.ts';
import { toRunItems } from './run-item.ts';
import type { ServiceTables } from '../tables.ts';

type Query = z.output<typeof listRunsQuery> & { q: string };

/** Below this a trigram index cannot tell texts apart. */
const SIMILAR_FROM = 3;
const WORDS_MAX = 8;
/** Of more matches than this the ones found first count: nobody reads further (engine.md 9.7). */
const FOUND_MAX = 2000;
const BEST_FIRST = 'similarity';

/** A run's id, alone or as the end of its page's address. */
function idIn(q: string): string | undefined {
  const last =
    q
      .replace(/[/?#]+$/, '')
      .split('/')
      .at(-1) ?? '';
  return isRunId(last) ? last : undefined;
}

/** Words that a trigram index can look up; short ones, which most texts hold, only where there are no others. */
function wordsOf(q: string): string[] {
  const words = q.split(/\s+/).filter((word) => word.length >= SIMILAR_FROM);
  const telling = words.filter((word) => word.length > SIMILAR_FROM);
  return (telling.length > 0 ? telling : words).slice(0, WORDS_MAX);
}

/** Runs whose title, prompt or skill holds something like every word of `q`, typos included. */
function likeness(q: string): Filter {
  const id = idIn(q);
  if (id !== undefined) return sql<SqlBool>`r.id = ${id}::uuid`;
  const words = wordsOf(q);
  if (words.length === 0)
    return sql<SqlBool>`r.search_text ilike ${`%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
  return sql<SqlBool>`${sql.join(
    words.map((word) => sql`${word} <% r.search_text`),
    sql` and `,
  )}`;
}

/** A condition that the trigram index cannot be passed over for. */
function ofTeam(teamId: string): Filter {
  return sql<SqlBool>`r.team_id::text = ${teamId}`;
}

/**
 * Runs a query that finds its runs by the trigram index. PostgreSQL takes a third of all texts to be
 * like any word, and would rather read them one by one.
 */
function byTrigrams<T>(
  db: Kysely<ServiceTables>,
  query: (trx: Transaction<ServiceTables>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('enable_seqscan', 'off', true),
      set_config('enable_indexscan', 'off', true),
      set_config('enable_indexonlyscan', 'off', true)`.execute(trx);
    return query(trx);
  });
}

/** The ids of runs like `q`, for a list in another order. */
export async function findLike(
  { db }: ServiceContext,
  teamId: string,
  q: string,
): Promise<string[]> {
  const rows = await byTrigrams(db, (trx) =>
    trx
      .selectFrom('runs as r')
      .where(ofTeam(teamId))
      .where(likeness(q))
      .select('r.id')
      .limit(FOUND_MAX)
      .execute(),
  );
  return rows.map(({ id }) => id);
}

/** After the page that ended with this similarity, creation and id. */
function afterRank(cursor: Cursor | undefined): Filter {
  if (!cursor) return sql<SqlBool>`true`;
  const [rank = '0', createdAt = ''] = (cursor.value ?? '').split(' ');
  return sql<SqlBool>`(rank, created_at, id) < (${rank}::float8, ${createdAt}::timestamptz, ${cursor.id}::uuid)`;
}

/** Ids with their ranks, best first, newer runs first among equals. */
function rank(
  context: ServiceContext,
  teamId: string,
  query: Query,
  cursor: Cursor | undefined,
): Promise<{ id: string; rank: number }[]> {
  const { facets, others, times } = runFilters(context, teamId, query);
  return byTrigrams(context.db, (trx) =>
    trx
      .with(
        (cte) => cte('found').materialized(),
        (q) =>
          q
            .selectFrom('runs as r')
            .where(ofTeam(teamId))
            .where(likeness(query.q))
            .selectAll('r')
            .limit(FOUND_MAX),
      )
      .with('ranked', (q) =>
        q
          .selectFrom('found as r')
          .where((where) => where.and([...facets, ...others, ...times]))
          .select(['r.id', 'r.created_at'])
          .select(
            sql<number>`greatest(word_similarity(${query.q}, r.title), 0.9 * word_similarity(${query.q}, r.search_text))::float8`.as(
              'rank',
            ),
          ),
      )
      .selectFrom('ranked')
      .select(['id', 'rank'])
      .where(afterRank(cursor))
      .orderBy(sql`rank desc, created_at desc, id desc`)
      .limit(query.limit + 1)
      .execute(),
  );
}

/** GET /agent/runs?q=…: the runs most like `q` first. */
export async function searchRuns(
  context: ServiceContext,
  teamId: string,
  query: Query,
): Promise<z.output<typeof listRunsResponse>> {
  const { db, secrets } = context;
  const sort = { sortBy: BEST_FIRST, sortOrder: query.q };
  const cursor =
    query.cursor === undefined ? undefined : readCursor(secrets.cursor, query.cursor, sort);
  const ranked = await rank(context, teamId, query, cursor);
  const ranks = new Map(ranked.map((row) => [row.id, row.rank]));
  const found = ranked.length === 0 ? [] : await readByIds(db, [...ranks.keys()]);
  const order = new Map([...ranks.keys()].map((id, index) => [id, index]));
  const rows = found.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const next =
    rows.length > query.limit && last
      ? writeCursor(secrets.cursor, {
          ...sort,
          value: `${ranks.get(last.id) ?? 0} ${last.created_at.toISOString()}`,
          id: last.id,
        })
      : undefined;
  return {
    runs: await toRunItems(db, page, context),
    page_info: {
      has_next_page: next !== undefined,
      ...(next === undefined ? {} : { next_cursor: next }),
    },
  };
}

function readByIds(db: Kysely<ServiceTables>, ids: readonly string[]) {
  return db.selectFrom('runs as r').where('r.id', 'in', ids).select(ITEM_COLUMNS).execute();
}
