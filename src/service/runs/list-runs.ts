import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { z } from 'zod';
import { ProblemError } from '../../contract/problem.ts';
import type { listRunsQuery, listRunsResponse } from '../../contract/run.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { conditionalAnswer } from '../http/conditional.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { ITEM_COLUMNS } from './item-columns.ts';
import { findRun } from './find-run.ts';
import { runFilters } from './run-filters.ts';
import { toRunItems } from './run-item.ts';

type Query = z.output<typeof listRunsQuery>;
type Page = z.output<typeof listRunsResponse>;

/** How each sort reads its value, as an expression and as the text that a cursor holds. */
const SORTS = {
  updated_at: { by: sql`r.updated_at`, cast: sql`timestamptz` },
  created_at: { by: sql`r.created_at`, cast: sql`timestamptz` },
  title: { by: sql`r.title`, cast: sql`text` },
  agent: { by: sql`r.skill_spec`, cast: sql`text` },
} as const;

/** Runs after the cursor, in a form that the sort's index serves as a range. */
function afterCursor(query: Query, value: string | null, id: string): Expression<SqlBool> {
  const { by, cast } = SORTS[query.sort_by];
  const beyond = query.sort_order === 'asc' ? sql`>` : sql`<`;
  if (query.sort_by !== 'agent')
    return sql`(${by}, r.id) ${beyond} (${value}::${cast}, ${id}::uuid)`;
  if (value === null) return sql`r.skill_spec is null and r.id ${beyond} ${id}::uuid`;
  return sql`(r.skill_spec is null or (r.skill_spec, r.id) ${beyond} (${value}, ${id}::uuid))`;
}

function ordering(query: Query): RawBuilder<unknown> {
  const direction = query.sort_order === 'asc' ? sql`asc` : sql`desc`;
  const { by } = SORTS[query.sort_by];
  const noSkillLast = query.sort_by === 'agent' ? sql`(r.skill_spec is null), ` : sql``;
  return sql`${noSkillLast}${by} ${direction}, r.id ${direction}`;
}

async function checkAncestor(context: ServiceContext, teamId: string, query: Query): Promise<void> {
  const id = query.ancestor_run_id;
  if (id === undefined || (await findRun(context.db, teamId, id))) return;
  throw new ProblemError('invalid_request', {
    field: 'ancestor_run_id',
    detail: 'ancestor_run_id: there is no such run',
  });
}

/** GET /agent/runs: one page of a team's runs. */
export async function listRuns(
  context: ServiceContext,
  teamId: string,
  query: Query,
): Promise<Page> {
  const { db, secrets } = context;
  await checkAncestor(context, teamId, query);
  const filters = runFilters(context, teamId, query);
  if (query.cursor !== undefined) {
    const sort = { sortBy: query.sort_by, sortOrder: query.sort_order };
    const cursor = readCursor(secrets.cursor, query.cursor, sort);
    filters.push(afterCursor(query, cursor.value, cursor.id));
  }
  const rows = await db
    .selectFrom('runs as r')
    .where((where) => where.and(filters))
    .select(ITEM_COLUMNS)
    .select(sql<string | null>`(${SORTS[query.sort_by].by})::text`.as('sort_value'))
    .orderBy(ordering(query))
    .limit(query.limit + 1)
    .execute();
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const hasNext = rows.length > query.limit;
  return {
    runs: await toRunItems(db, page, context),
    page_info: {
      has_next_page: hasNext,
      ...(hasNext && last
        ? {
            next_cursor: writeCursor(secrets.cursor, {
              sortBy: query.sort_by,
              sortOrder: query.sort_order,
              value: last.sort_value,
              id: last.id,
            }),
          }
        : {}),
    },
  };
}

/** GET /agent/runs, held where asked until the page would be another. */
export async function watchRuns(
  context: ServiceContext,
  call: Call<typeof endpoints.runs.list>,
): Promise<Response> {
  const { teamId } = call.caller;
  return conditionalAnswer(context, call, [`team:${teamId}`], () =>
    listRuns(context, teamId, call.query),
  );
}
