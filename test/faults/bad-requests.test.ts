import * as fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import { problem } from '../../src/contract/problem.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { hostileRequests, type HostileRequest } from '../support/hostile-requests.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { VALID_BODIES, VALID_QUERIES } from '../support/valid-bodies.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const REQUESTS = isLong ? 20_000 : 600;
/** No answer may take longer; waits are not asked for. */
const ANSWER_WITHIN_MS = 20_000;

let service: TestService;
let runs: RunDriver;
let key = '';
let workerKey = '';
let ids: Record<string, string> = {};

const routes = listEndpoints()
  .filter(({ endpoint }) => endpoint.bodyKind !== 'stream')
  .map(({ id, endpoint }) => ({
    id,
    endpoint,
    body: VALID_BODIES[id],
    query: VALID_QUERIES[id] ?? '',
  }));
const routeOf = (id: string) => routes.find((route) => route.id === id)?.endpoint;

beforeAll(async () => {
  ({ service, runs, key, workerKey } = await startDriver(() => startTestService()));
  const make = async (path: string, body: unknown, field: string): Promise<string> =>
    (await runs.ask<Record<string, string>>('POST', path, body)).body[field] ?? '';
  const runId = await runs.create();
  ids = {
    runId,
    conversationId: (await runs.get(runId)).conversation_id ?? '',
    scheduleId: await make('/agent/schedules', VALID_BODIES['schedules.create'], 'id'),
    uid: await make('/agent/identities', { name: 'n' }, 'uid'),
    artifactUid: await make(
      '/harness-support/report-artifact',
      VALID_BODIES['harness.reportArtifact'],
      'artifact_uid',
    ),
  };
});
afterAll(() => service.close());

function toRequest({ id, path, query, headers, body }: HostileRequest): Request {
  const endpoint = routeOf(id);
  return new Request(`http://127.0.0.1${API_PREFIX}${path}${query}`, {
    method: endpoint?.method ?? 'GET',
    headers: {
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replaceAll('é', 'e')]),
      ),
      authorization: `Bearer ${endpoint?.auth === 'worker' ? workerKey : key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** What is wrong with the answer to a request; undefined when nothing is. */
async function fault(asked: HostileRequest): Promise<string | undefined> {
  const answer = await Promise.race([
    service.service.fetch(toRequest(asked)),
    new Promise<undefined>((resolve) => setTimeout(resolve, ANSWER_WITHIN_MS, undefined).unref()),
  ]);
  if (!answer) return 'no answer';
  const text = await answer.text();
  if (answer.status >= 500) return `${answer.status} ${text}`;
  if (answer.status < 400) return undefined;
  const read = problem.safeParse(JSON.parse(text));
  if (!read.success) return `no problem document: ${answer.status} ${text}`;
  const { status, field, detail } = read.data;
  if (status !== answer.status) return `says ${status}, sent ${answer.status}`;
  return status === 400 && field === undefined && detail === undefined
    ? `names nothing: ${text}`
    : undefined;
}

/** Rows that only half of a change would leave behind. */
async function halfWritten(): Promise<unknown[]> {
  const { rows } = await sql`
    select 'run without its event' as what, r.id from runs r
      where not exists (select 1 from run_events e where e.run_id = r.id)
    union all
    select 'queued run without its job', r.id from runs r
      where r.state = 'QUEUED' and r.lane is not null
        and not exists (select 1 from runlink_jobs.job j where j.id = r.job_id)
    union all
    select 'content without its artifact', c.uid from artifact_contents c
      where not exists (select 1 from artifacts a where a.uid = c.uid)
    union all
    select 'schedule that waits for nothing', s.id from schedules s
      where s.enabled and s.next_run is null
    limit 10`.execute(service.service.context.db);
  return rows;
}

describe('requests that are wrong in any way', () => {
  it(
    `never break the service, and each refusal says what is wrong (${REQUESTS} requests)`,
    async () => {
      const harmless = fc.asyncProperty(hostileRequests(routes, ids), async (asked) => {
        const found = await fault(asked);
        if (found !== undefined) throw new Error(`${asked.id}: ${found}`);
      });
      const seed = isLong ? {} : { seed: 20_261_121 };
      const result = await fc.check(harmless, { numRuns: REQUESTS, endOnFailure: true, ...seed });
      expect(result.failed ? fc.defaultReportMessage(result) : undefined).toBeUndefined();
      expect(await halfWritten()).toEqual([]);
    },
    isLong ? 30 * 60_000 : 60_000,
  );
});
