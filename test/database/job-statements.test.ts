import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

/**
 * What job-statements.ts says again of pg-boss. When an upgrade changes one of these, look whether
 * the statements there still do what pg-boss's own do, then renew them here.
 */
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The SQL by which pg-boss carries out a call, in one line. */
async function sqlOf(
  call: (db: { executeSql: (text: string) => Promise<{ rows: never[] }> }) => Promise<unknown>,
): Promise<string> {
  let asked = '';
  const executeSql = async (text: string) => {
    asked = text;
    return { rows: [] };
  };
  // An answer without rows is none that pg-boss understands: what it asked is enough.
  await call({ executeSql }).catch(() => undefined);
  return asked.replaceAll(/\s+/g, ' ').trim();
}

const queue = () => service.service.context.database.queue;
const JOB = { id: '00000000-0000-4000-8000-000000000000', retryCount: 0 };

describe('pg-boss still', () => {
  it('takes jobs as our claims do', async () => {
    const options = { minPriority: 1, maxPriority: 1 };
    expect(await sqlOf((db) => queue().fetch('runs', { ...options, db }))).toMatchInlineSnapshot(
      `"WITH next AS ( SELECT j.id FROM runlink_jobs.job_common j WHERE j.name = 'runs' AND j.state < 'active' AND NOT j.blocked AND j.start_after <= runlink_jobs.job_now() AND j.priority >= $1::int AND j.priority <= $2::int ORDER BY j.priority desc, j.created_on LIMIT 1 FOR UPDATE OF j SKIP LOCKED ) UPDATE runlink_jobs.job_common j SET state = 'active', started_on = runlink_jobs.job_now(), heartbeat_on = runlink_jobs.job_now(), retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END FROM next WHERE name = 'runs' AND j.id = next.id RETURNING j.id, name, data, retry_count as "retryCount", expire_seconds as "expireInSeconds", heartbeat_seconds as "heartbeatSeconds", group_id as "groupId", group_tier as "groupTier""`,
    );
  });

  it('completes jobs as our ends of runs do', async () => {
    expect(await sqlOf((db) => queue().complete('runs', JOB, null, { db }))).toMatchInlineSnapshot(
      `"WITH results AS ( UPDATE runlink_jobs.job_common SET completed_on = runlink_jobs.job_now(), state = 'completed', output = $3::jsonb, blocked = blocked, pending_dependencies = pending_dependencies WHERE name = $1 AND id = ANY($2::uuid[]) AND state = 'active' AND state = 'active' AND (id::text || ':' || retry_count::text) = ANY($4::text[]) RETURNING id ) SELECT COUNT(*), COALESCE(array_agg(id), '{}'::uuid[]) AS ids FROM results"`,
    );
  });

  it('inserts jobs by one statement whose only parameter they are', async () => {
    const text = await sqlOf((db) => queue().insert('runs', [{ priority: 1 }], { db }));
    expect(text.match(/\$\d+/g)).toEqual(['$1']);
    expect(text).toMatch(/^INSERT INTO runlink_jobs\.job_common \(/);
  });

  it('keeps jobs in the columns and states that we read', async () => {
    const { rows } = await service.service.context.database.pool.query<{ column: string }>(
      `select column_name || ' ' || udt_name as column from information_schema.columns
       where table_schema = 'runlink_jobs' and table_name = 'job' and column_name in ('id', 'name',
         'priority', 'data', 'state', 'retry_count', 'start_after', 'created_on', 'started_on',
         'completed_on', 'heartbeat_on', 'blocked') order by 1`,
    );
    const states = await service.service.context.database.pool.query<{ states: string }>(
      `select enum_range(null::runlink_jobs.job_state)::text as states`,
    );
    expect([...rows.map(({ column }) => column), states.rows[0]?.states]).toMatchInlineSnapshot(`
      [
        "blocked bool",
        "completed_on timestamptz",
        "created_on timestamptz",
        "data jsonb",
        "heartbeat_on timestamptz",
        "id uuid",
        "name text",
        "priority int4",
        "retry_count int4",
        "start_after timestamptz",
        "started_on timestamptz",
        "state job_state",
        "{created,retry,active,completed,cancelled,failed}",
      ]
    `);
  });
});
