import { sql, type SqlBool } from 'kysely';
import type { z } from 'zod';
import type { listRunsQuery, listRunsResponse } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { readCursor, writeCursor, type Cursor } from './cursor.ts';
import { isRunId } from './find-run.ts';
import { ITEM_COLUMNS } from './item-columns.ts';
import { runFilters, type Filter } from './run-filters.ts';
import { toRunItems } from './run-item.ts';

type Query = z.output<typeof listRunsQuery> & { q: string };

/** Below this a trigram index cannot tell texts apart. */
const SIMILAR_FROM = 3;
const WORDS_MAX = 8;
/** Of more matches than this the ones found first count: nobody reads further (engine.md 9.7). */
const FOUND_MAX = 1000;
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

/** Words that a trigram index can look up; of very short ones only when there are no others. */
function wordsOf(q: string): string[] {
  const words = q.split(/\s+/).filter((word) => word.length >= SIMILAR_FROM);
  return words.slice(0, WORDS_MAX);
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

/** Runs like `q`, as a condition for a list in another order. */
export function searchFilter(teamId: string, q: string): Filter {
  return sql<SqlBool>`r.id = any(array(
    select r.id from runs r where r.team_id = ${teamId} and ${likeness(q)} limit ${sql.lit(FOUND_MAX)}))`;
}

/** After the page that ended with this similarity, creation and id. */
function afterRank(cursor: Cursor | undefined): Filter {
  if (!cursor) return sql<SqlBool>`true`;
  const [rank = '0', createdAt = ''] = (cursor.value ?? '').split(' ');
  return sql<SqlBool>`(rank, created_at, id) < (${rank}::float8, ${createdAt}::timestamptz, ${cursor.id}::uuid)`;
}

/** GET /agent/runs?q=…: the runs most like `q` first, newer runs first among equals. */
export async function searchRuns(
  context: ServiceContext,
  teamId: string,
  query: Query,
): Promise<z.output<typeof listRunsResponse>> {
  const { db, secrets } = context;
  const sort = { sortBy: BEST_FIRST, sortOrder: query.q };
  const cursor =
    query.cursor === undefined ? undefined : readCursor(secrets.cursor, query.cursor, sort);
  const { facets, others, times } = runFilters(context, teamId, query);
  const rows = await db
    .with(
      (cte) => cte('found').materialized(),
      (q) =>
        q
          .selectFrom('runs as r')
          .where(sql<SqlBool>`r.team_id = ${teamId}`)
          .where(likeness(query.q))
          .where((where) => where.and([...facets, ...others, ...times]))
          .select(['r.id', 'r.created_at', 'r.title', 'r.search_text'])
          .limit(FOUND_MAX),
    )
    .with('ranked', (q) =>
      q
        .selectFrom('found')
        .select(['id', 'created_at'])
        .select(
          sql<number>`greatest(word_similarity(${query.q}, title), 0.9 * word_similarity(${query.q}, search_text))::float8`.as(
            'rank',
          ),
        ),
    )
    .with('page', (q) =>
      q
        .selectFrom('ranked')
        .select(['id', 'created_at', 'rank'])
        .where(afterRank(cursor))
        .orderBy(sql`rank desc, created_at desc, id desc`)
        .limit(query.limit + 1),
    )
    .selectFrom('page as p')
    .innerJoin('runs as r', 'r.id', 'p.id')
    .select(ITEM_COLUMNS)
    .select('p.rank')
    .orderBy(sql`p.rank desc, p.created_at desc, p.id desc`)
    .execute();
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const next =
    rows.length > query.limit && last
      ? writeCursor(secrets.cursor, {
          ...sort,
          value: `${last.rank} ${last.created_at.toISOString()}`,
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
