import type { Pool } from 'pg';
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillRuns } from '../../bench/service/fill.ts';
import { SEARCHES, SORTS, filters, type ListQuery } from '../../bench/service/list-queries.ts';
import { listRunsQuery } from '../../src/contract/run.ts';
import { listRuns } from '../../src/service/runs/list-runs.ts';
import type { ServiceTables } from '../../src/service/tables.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Enough that a sequential scan is never the cheaper plan. */
const RUNS = 20_000;

let service: TestService;
let teamId: string;
let facts: { scheduleId: string; ancestorId: string };

beforeAll(async () => {
  service = await startTestService();
  await service.personalKey();
  const { context } = service.service;
  ({ id: teamId } = await context.db.selectFrom('teams').select('id').executeTakeFirstOrThrow());
  await fillRuns(service.databaseUrl, teamId, RUNS);
  const { rows } = await context.database.pool.query<typeof facts>(
    `select (select schedule_id from runs where schedule_id is not null limit 1) as "scheduleId",
       (select root_run_id from runs where root_run_id <> id limit 1) as "ancestorId"`,
  );
  facts = rows[0] ?? { scheduleId: '', ancestorId: '' };
});
afterAll(() => service.close());

/** Every plan of the statements that a list asks. */
async function plansOf(query: ListQuery, bestFirst: boolean): Promise<string[]> {
  const { context } = service.service;
  const asked: CompiledQuery[] = [];
  const db = new Kysely<ServiceTables>({
    dialect: new PostgresDialect({ pool: context.database.pool }),
    log: ({ query: statement }) => void asked.push(statement),
  });
  const first = await listRuns({ ...context, db }, teamId, listRunsQuery.parse(query), bestFirst);
  const cursor = first.page_info.next_cursor;
  if (cursor)
    await listRuns(
      { ...context, db },
      teamId,
      listRunsQuery.parse({ ...query, cursor }),
      bestFirst,
    );
  return explain(context.database.pool, [...asked]);
}

/** Plans of the statements under the settings that were made for them. */
async function explain(pool: Pool, statements: readonly CompiledQuery[]): Promise<string[]> {
  const client = await pool.connect();
  const plans: string[] = [];
  try {
    for (const { sql, parameters } of statements) {
      const isQuestion = /^\s*(select|with)/.test(sql) && !sql.includes('set_config');
      const { rows } = await client.query<Record<string, string>>(
        isQuestion ? `explain ${sql}` : sql,
        [...parameters],
      );
      if (isQuestion) plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
  } finally {
    client.release();
  }
  return plans;
}

describe('the list of runs', () => {
  it('reads the runs by an index for every filter in every sort', async () => {
    const scans: string[] = [];
    let plans = 0;
    for (const [name, filter] of Object.entries(filters(facts)))
      for (const sort of SORTS)
        for (const plan of await plansOf({ ...filter, ...sort }, false)) {
          plans += 1;
          if (/Seq Scan on (runs|run_metadata|artifacts)/.test(plan))
            scans.push(`${name} ${JSON.stringify(sort)}\n${plan}`);
        }
    expect(scans).toEqual([]);
    expect(plans).toBeGreaterThan(400);
  });

  it('searches by an index', async () => {
    const plans = (await Promise.all(SEARCHES.map((q) => plansOf({ q }, true)))).flat();
    const looking = plans.filter((plan) => plan.includes('<%'));
    expect(looking.length).toBeGreaterThanOrEqual(SEARCHES.length);
    expect(looking.filter((plan) => !plan.includes('runs_search'))).toEqual([]);
    expect(plans.filter((plan) => plan.includes('Seq Scan on runs'))).toEqual([]);
  });
});
