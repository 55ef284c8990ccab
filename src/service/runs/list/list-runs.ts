import { sql, type SqlBool } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../../contract/endpoints.ts';
import { invalidField } from '../../../contract/problem.ts';
import type { listRunsQuery, listRunsResponse } from '../../../contract/run.ts';
import type { ServiceContext } from '../../context.ts';
import type { Call } from '../../http/call.ts';
import type { Db } from '../../tables.ts';
import { readableBy, type Reader } from '../../keys/spaces.ts';
import { conditionalAnswer } from '../../http/conditional.ts';
import { pageInfoOf, readCursor, writeCursor, type Cursor } from './cursor.ts';
import { findRun } from '../find-run.ts';
import { planList, type ListPlan, type SortBy } from './list-plan.ts';
import { readPage, type ListedRow, type Stretch } from './read-page.ts';
import { runFilters, type RunCondition } from './run-filters.ts';
import { toRunItems } from '../run-item.ts';
import { idIn, idsFrom } from './search-words.ts';
import { findLike, searchRuns } from './search.ts';

type ListQuery = z.output<typeof listRunsQuery>;
type Query = ListQuery & { sort_by: SortBy };
/** Most runs that a short id may match; with eight random digits it is hardly ever two. */
const FOUND_MAX = 100;
type Page = z.output<typeof listRunsResponse>;

/** What each sort order compares, and the type of its values in a cursor. */
const SORTS = {
  updated_at: { value: sql`r.updated_at`, cast: sql`timestamptz` },
  created_at: { value: sql`r.created_at`, cast: sql`timestamptz` },
  title: { value: sql`r.title_key`, cast: sql`text` },
  agent: { value: sql`r.skill_key`, cast: sql`text` },
} as const;

/** GET /agent/runs: one page of the runs that a reader may see. */
export async function listRuns(
  context: ServiceContext,
  reader: Reader,
  asked: ListQuery,
): Promise<Page> {
  const { db, secrets } = context;
  await checkAncestor(context, reader, asked);
  const { q, sort_by, ...rest } = asked;
  const words = q?.trim();
  const known = words ? await idsOf(db, reader, words) : undefined;
  if (words && sort_by === 'relevance' && !known)
    return searchRuns(context, reader, { ...asked, q: words });
  const query: Query = {
    ...rest,
    ...(words ? { q: words } : {}),
    // Runs that were found by id are equally relevant.
    sort_by: sort_by === 'relevance' ? 'updated_at' : sort_by,
  };
  const sort = { sortBy: query.sort_by, sortOrder: query.sort_order };
  const cursor =
    query.cursor === undefined ? undefined : readCursor(secrets.cursor, query.cursor, sort);
  const rows = await readRows(context, reader, query, cursor, known);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const next =
    rows.length > query.limit && last
      ? writeCursor(secrets.cursor, { ...sort, value: valueOf(last, query.sort_by), id: last.id })
      : undefined;
  return {
    runs: await toRunItems(db, page, context),
    page_info: pageInfoOf(next),
  };
}

/** GET /agent/runs; if asked, held until the page differs. */
export async function listWhenChanged(
  context: ServiceContext,
  call: Call<typeof endpoints.runs.list>,
): Promise<Response> {
  const topics = readableBy(call.caller).map((space) => `team:${space}` as const);
  return conditionalAnswer(context, call, topics, () => listRuns(context, call.caller, call.query));
}

function afterCursor(query: Query, cursor: Cursor): RunCondition {
  const { value: column, cast } = SORTS[query.sort_by];
  const beyond = query.sort_order === 'asc' ? sql`>` : sql`<`;
  const { value, id } = cursor;
  return sql<SqlBool>`(${column}, r.id) ${beyond} (${value}::${cast}, ${id}::uuid)`;
}

/**
 * Splits a list by last change that is limited by creation time. Nearly all runs change last within
 * a day of their creation, which narrows the search; the others have an index of their own.
 */
function changedSoonOrLate(before: string, stretch: Stretch): Stretch[] {
  const soon = sql<SqlBool>`r.updated_at - r.created_at <= interval '1 day'
    and r.updated_at < ${before}::timestamptz + interval '1 day'`;
  const late = sql<SqlBool>`r.updated_at - r.created_at > interval '1 day'`;
  return [soon, late].map((filter) => ({ ...stretch, filters: [...stretch.filters, filter] }));
}

/** Splits a list by skill: runs without a skill come last in both directions (interface.md 4.2). */
function stretches(query: Query, cursor: Cursor | undefined): Stretch[] {
  const direction = query.sort_order;
  const { value } = SORTS[query.sort_by];
  const from = cursor && cursor.value !== null ? [afterCursor(query, cursor)] : [];
  const whole = { filters: from, value, direction };
  if (query.sort_by === 'updated_at' && query.created_before)
    return changedSoonOrLate(query.created_before, whole);
  if (query.sort_by !== 'agent') return [whole];
  const beyond = direction === 'asc' ? sql`>` : sql`<`;
  const without: Stretch = {
    filters: [
      sql<SqlBool>`r.skill_key is null`,
      ...(cursor?.value === null ? [sql<SqlBool>`r.id ${beyond} ${cursor.id}::uuid`] : []),
    ],
    value: sql`r.id`,
    direction,
  };
  if (cursor?.value === null) return [without];
  return [{ filters: [sql<SqlBool>`r.skill_key is not null`, ...from], value, direction }, without];
}

async function checkAncestor(
  context: ServiceContext,
  reader: Reader,
  query: ListQuery,
): Promise<void> {
  const id = query.ancestor_run_id;
  if (id === undefined || (await findRun(context.db, reader, id))) return;
  throw invalidField('ancestor_run_id', 'there is no such run');
}

/**
 * The runs whose id is `q`: in full, as a page's address, or by its beginning. Undefined if there
 * is none.
 */
async function idsOf(db: Db, reader: Reader, q: string): Promise<string[] | undefined> {
  const id = idIn(q);
  if (id !== undefined) return [id];
  const range = idsFrom(q);
  if (!range) return undefined;
  const rows = await db
    .selectFrom('runs')
    .where('id', '>=', range.first)
    .where('id', '<=', range.last)
    .where('team_id', 'in', readableBy(reader))
    .select('id')
    .limit(FOUND_MAX)
    .execute();
  return rows.length === 0 ? undefined : rows.map((row) => row.id);
}

async function readSpace(
  context: ServiceContext,
  space: string,
  query: Query,
  cursor: Cursor | undefined,
  known: string[] | undefined,
): Promise<ListedRow[]> {
  const { db } = context;
  const team = sql<SqlBool>`r.team_id = ${space}`;
  const conditions = runFilters(context, space, query);
  if (query.q) {
    const ids = known ?? (await findLike(context, space, query.q, conditions));
    conditions.unshift({ holds: sql<SqlBool>`r.id = any(${ids}::uuid[])` });
  }
  const plan = await planList(db, team, query.sort_by, conditions);
  const parts = stretches(query, cursor).map((part) => ({
    ...part,
    filters: [team, ...part.filters],
  }));
  if (query.sort_by === 'updated_at') return readMerged(db, plan, parts, query);
  const rows: ListedRow[] = [];
  for (const part of parts) {
    const wanted = query.limit + 1 - rows.length;
    if (wanted > 0) rows.push(...(await readPage(db, plan, part, wanted)));
  }
  return rows;
}

/**
 * Reads the rows of all spaces. A person's own runs and the team's are merged in the database's
 * order.
 */
async function readRows(
  context: ServiceContext,
  reader: Reader,
  query: Query,
  cursor: Cursor | undefined,
  known: string[] | undefined,
): Promise<ListedRow[]> {
  const spaces = readableBy(reader).map((space) => readSpace(context, space, query, cursor, known));
  const [first = [], ...more] = await Promise.all(spaces);
  if (more.every((rows) => rows.length === 0)) return first;
  const found = new Map([first, ...more].flat().map((row) => [row.id, row]));
  const { value } = SORTS[query.sort_by];
  const direction = sql.raw(query.sort_order);
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r where r.id = any(${[...found.keys()]}::uuid[])
    order by ${value} is null, ${value} ${direction}, r.id ${direction}
    limit ${query.limit + 1}`.execute(context.db);
  return rows.flatMap(({ id }) => found.get(id) ?? []);
}

/** Reads several stretches and merges them. */
async function readMerged(
  db: Db,
  plan: ListPlan,
  parts: readonly Stretch[],
  query: Query,
): Promise<ListedRow[]> {
  const rows: ListedRow[] = [];
  for (const part of parts) rows.push(...(await readPage(db, plan, part, query.limit + 1)));
  if (parts.length === 1) return rows;
  const sign = query.sort_order === 'asc' ? 1 : -1;
  const compare = (a: ListedRow, b: ListedRow): number =>
    a.updated_at.getTime() - b.updated_at.getTime() || (a.id < b.id ? -1 : 1);
  return rows.toSorted((a, b) => sign * compare(a, b)).slice(0, query.limit + 1);
}

function valueOf(row: ListedRow, sortBy: Query['sort_by']): string | null {
  return sortBy === 'agent' && row.skill_spec === null ? null : row.sort_value;
}
