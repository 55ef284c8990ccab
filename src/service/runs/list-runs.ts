import { sql, type SqlBool } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { listRunsQuery, listRunsResponse } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { conditionalAnswer } from '../http/conditional.ts';
import { readCursor, writeCursor, type Cursor } from './cursor.ts';
import { findRun } from './find-run.ts';
import { shouldGather } from './list-plan.ts';
import { readPage, type ListedRow, type Order } from './read-page.ts';
import { runFilters, type Filter } from './run-filters.ts';
import { toRunItems } from './run-item.ts';
import { findLike, searchRuns } from './search.ts';

type Query = z.output<typeof listRunsQuery>;
type Page = z.output<typeof listRunsResponse>;

/** The column of each sort and the type of its values in a cursor. */
const SORTS = {
  updated_at: { column: 'updated_at', cast: sql`timestamptz` },
  created_at: { column: 'created_at', cast: sql`timestamptz` },
  title: { column: 'title', cast: sql`text` },
  agent: { column: 'skill_spec', cast: sql`text` },
} as const;

/** One stretch of the sorted list that an index serves as it stands. */
interface Stretch {
  filters: Filter[];
  order: Order;
}

function afterCursor(query: Query, cursor: Cursor): Filter {
  const { column, cast } = SORTS[query.sort_by];
  const beyond = query.sort_order === 'asc' ? sql`>` : sql`<`;
  const { value, id } = cursor;
  return sql<SqlBool>`(${sql.ref(`r.${column}`)}, r.id) ${beyond} (${value}::${cast}, ${id}::uuid)`;
}

/** Runs without a skill come last in both directions (interface.md 4.2): a stretch of their own. */
function stretches(query: Query, cursor: Cursor | undefined): Stretch[] {
  const direction = query.sort_order;
  const { column } = SORTS[query.sort_by];
  const from = cursor && cursor.value !== null ? [afterCursor(query, cursor)] : [];
  if (query.sort_by !== 'agent') return [{ filters: from, order: { column, direction } }];
  const beyond = direction === 'asc' ? sql`>` : sql`<`;
  const without: Stretch = {
    filters: [
      sql<SqlBool>`r.skill_spec is null`,
      ...(cursor?.value === null ? [sql<SqlBool>`r.id ${beyond} ${cursor.id}::uuid`] : []),
    ],
    order: { column: 'id', direction },
  };
  if (cursor?.value === null) return [without];
  const within = { filters: [sql<SqlBool>`r.skill_spec is not null`, ...from] };
  return [{ ...within, order: { column, direction } }, without];
}

function anyId(ids: readonly string[]): Filter {
  return sql<SqlBool>`r.id = any(${ids}::uuid[])`;
}

async function checkAncestor(context: ServiceContext, teamId: string, query: Query): Promise<void> {
  const id = query.ancestor_run_id;
  if (id === undefined || (await findRun(context.db, teamId, id))) return;
  throw new ProblemError('invalid_request', {
    field: 'ancestor_run_id',
    detail: 'ancestor_run_id: there is no such run',
  });
}

async function readRows(
  context: ServiceContext,
  teamId: string,
  query: Query,
  cursor: Cursor | undefined,
): Promise<ListedRow[]> {
  const team = sql<SqlBool>`r.team_id = ${teamId}`;
  const filters = runFilters(context, teamId, query);
  if (query.q) filters.others.push(anyId(await findLike(context, teamId, query.q)));
  const gather =
    query.q !== undefined || (await shouldGather(context.db, team, query.sort_by, filters));
  const common = [team, ...filters.facets, ...filters.others, ...filters.times];
  const rows: ListedRow[] = [];
  for (const stretch of stretches(query, cursor)) {
    const wanted = query.limit + 1 - rows.length;
    if (wanted <= 0) break;
    const conditions = [...common, ...stretch.filters];
    rows.push(...(await readPage(context.db, conditions, stretch.order, wanted, gather)));
  }
  return rows;
}

function valueOf(row: ListedRow, sortBy: Query['sort_by']): string | null {
  return sortBy === 'agent' ? row.skill_spec : row.sort_value;
}

/** GET /agent/runs: one page of a team's runs; a search without a `sort_by` has the best first. */
export async function listRuns(
  context: ServiceContext,
  teamId: string,
  asked: Query,
  bestFirst: boolean,
): Promise<Page> {
  const { db, secrets } = context;
  await checkAncestor(context, teamId, asked);
  const { q, ...rest } = asked;
  const words = q?.trim();
  if (words && bestFirst) return searchRuns(context, teamId, { ...rest, q: words });
  const query: Query = words ? { ...rest, q: words } : rest;
  const sort = { sortBy: query.sort_by, sortOrder: query.sort_order };
  const cursor =
    query.cursor === undefined ? undefined : readCursor(secrets.cursor, query.cursor, sort);
  const rows = await readRows(context, teamId, query, cursor);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const next =
    rows.length > query.limit && last
      ? writeCursor(secrets.cursor, { ...sort, value: valueOf(last, query.sort_by), id: last.id })
      : undefined;
  return {
    runs: await toRunItems(db, page, context),
    page_info: {
      has_next_page: next !== undefined,
      ...(next === undefined ? {} : { next_cursor: next }),
    },
  };
}

/** GET /agent/runs, held where asked until the page would be another. */
export async function watchRuns(
  context: ServiceContext,
  call: Call<typeof endpoints.runs.list>,
): Promise<Response> {
  const { teamId } = call.caller;
  const bestFirst = !new URL(call.request.url).searchParams.has('sort_by');
  return conditionalAnswer(context, call, [`team:${teamId}`], () =>
    listRuns(context, teamId, call.query, bestFirst),
  );
}
