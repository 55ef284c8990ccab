import type { Pool } from 'pg';
import { Kysely, PostgresDialect, sql, type CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fillRuns } from '../../bench/service/fill.ts';
import {
  NO_FACTS,
  READ_FACTS,
  SEARCHES,
  SORTS,
  filters,
  type FillFacts,
  type ListQuery,
} from '../../bench/service/list-queries.ts';
import { listRunsQuery } from '../../src/contract/run.ts';
import { FEW } from '../../src/service/runs/list/list-plan.ts';
import { listRuns } from '../../src/service/runs/list/list-runs.ts';
import { all, asked, runFilters } from '../../src/service/runs/list/run-filters.ts';
import type { ServiceTables } from '../../src/service/tables.ts';
import { startTestService, type TestService } from '../support/service.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
/**
 * Enough that a sequential scan is never the cheaper plan; of more than one look along a sort takes
 * in only in the long run.
 */
const RUNS = isLong ? 20_000 : 6000;
const ORDERS = {
  updated_at: 'updated_at',
  created_at: 'created_at',
  title: 'title_key',
  agent: 'skill_key',
  relevance: 'updated_at',
} as const;

let service: TestService;
let teamId: string;
let facts: FillFacts;

beforeAll(async () => {
  service = await startTestService();
  await service.personalKey();
  const { context } = service.service;
  ({ id: teamId } = await context.db.selectFrom('teams').select('id').executeTakeFirstOrThrow());
  await fillRuns(service.databaseUrl, teamId, RUNS);
  const { rows } = await context.database.pool.query<FillFacts>(READ_FACTS);
  facts = rows[0] ?? NO_FACTS;
});
afterAll(() => service.close());

interface Listed {
  ids: string[];
  /** Every plan of the statements that were asked. */
  plans: string[];
}

/** The first two pages, and how they were read. */
async function list(query: ListQuery): Promise<Listed> {
  const { context } = service.service;
  const statements: CompiledQuery[] = [];
  const db = new Kysely<ServiceTables>({
    dialect: new PostgresDialect({ pool: context.database.pool }),
    log: ({ query: statement }) => void statements.push(statement),
  });
  const page = (more: ListQuery) =>
    listRuns({ ...context, db }, { teamId }, listRunsQuery.parse({ ...query, ...more }));
  const first = await page({});
  const cursor = first.page_info.next_cursor;
  const second = cursor ? await page({ cursor }) : { runs: [] };
  return {
    ids: [...first.runs, ...second.runs].map((run) => run.run_id),
    plans: await explain(context.database.pool, [...statements]),
  };
}

/** Plans of the statements under the settings that were made for them. */
async function explain(pool: Pool, statements: readonly CompiledQuery[]): Promise<string[]> {
  const client = await pool.connect();
  const plans: string[] = [];
  try {
    for (const statement of statements) {
      const isQuestion =
        /^\s*(select|with)/.test(statement.sql) && !statement.sql.includes('set_config');
      const { rows } = await client.query<Record<string, string>>(
        isQuestion ? `explain ${statement.sql}` : statement.sql,
        [...statement.parameters],
      );
      if (isQuestion) plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
  } finally {
    client.release();
  }
  return plans;
}

/** The same two pages in one plain question. */
async function askPlainly(query: ListQuery): Promise<string[]> {
  const { context } = service.service;
  const { limit, sort_by, sort_order, ...rest } = listRunsQuery.parse(query);
  const direction = sql.raw(sort_order);
  const conditions = runFilters(context, teamId, { limit, sort_by, sort_order, ...rest });
  const { rows } = await sql<{ id: string }>`
    select id from runs r where ${all([sql`r.team_id = ${teamId}`.$castTo<boolean>(), ...conditions.map(asked)])}
    order by ${sql.ref(`r.${ORDERS[sort_by]}`)} ${direction} nulls last, id ${direction}
    limit ${2 * limit}`.execute(context.db);
  return rows.map((row) => row.id);
}

describe('the list of runs', () => {
  it('is the same as a plain question answers, and read by an index, for every filter in every sort (each sixth in a quick run)', async () => {
    const scans: string[] = [];
    let plans = 0;
    for (const [at, [name, filter]] of Object.entries(filters(facts)).entries())
      for (const sort of SORTS.filter((_, nth) => isLong || nth % 6 === at % 6)) {
        const query = { ...filter, ...sort };
        const listed = await list(query);
        expect({ query, ids: listed.ids }).toEqual({ query, ids: await askPlainly(query) });
        plans += listed.plans.length;
        for (const plan of listed.plans)
          if (/Seq Scan on (runs|run_metadata|artifacts)/.test(plan))
            scans.push(`${name} ${JSON.stringify(sort)}\n${plan}`);
      }
    expect(scans).toEqual([]);
    expect(plans).toBeGreaterThan(isLong ? 400 : 65);
  });

  it.runIf(isLong)(
    'finds what many runs fulfil and none near the beginning of the sort',
    async () => {
      const few = FEW.inRuns;
      FEW.inRuns = 0;
      onTestFinished(() => {
        FEW.inRuns = few;
      });
      const { db } = service.service.context;
      const { metadata, state } = await db
        .selectFrom('runs')
        .orderBy('created_at')
        .select(['metadata', 'state'])
        .limit(1)
        .executeTakeFirstOrThrow();
      const query = {
        metadata: { ticket: metadata['ticket'] ?? '' },
        state: [state],
        sort_by: 'created_at',
      };
      const { ids, plans } = await list(query);
      expect(ids).not.toEqual([]);
      expect(ids).toEqual(await askPlainly(query));
      const gathering = plans.filter((plan) => plan.includes('CTE matching'));
      expect(gathering.join()).toMatch(/Index.* Scan .*run_metadata/);
    },
  );

  it('searches by an index', async () => {
    const queries: ListQuery[] = SEARCHES.flatMap((q) => [
      { q, sort_by: 'relevance' },
      { q, state: ['SUCCEEDED'], sort_by: 'relevance' },
    ]);
    const plans: string[] = [];
    for (const query of queries) plans.push(...(await list(query)).plans);
    const looking = plans.filter((plan) => /body ~~?\*/.test(plan));
    expect(looking.length).toBeGreaterThanOrEqual(queries.length);
    expect(looking.filter((plan) => !plan.includes('run_texts_like'))).toEqual([]);
    expect(plans.filter((plan) => /Seq Scan on (runs|run_texts)/.test(plan))).toEqual([]);
  });
});
