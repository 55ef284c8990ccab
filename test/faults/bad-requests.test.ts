import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';
import { problem } from '../../src/contract/problem.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { halfWritten } from '../support/half-written.ts';
import { LIVE_LEASE, hostileRequests, type HostileRequest } from '../support/hostile-requests.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { VALID_BODIES, VALID_QUERIES } from '../support/valid-bodies.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const REQUESTS = isLong ? 20_000 : 300;
/** No answer may take longer; waits are not asked for. */
const ANSWER_WITHIN_MS = 20_000;

let service: TestService;
let runs: RunDriver;
let key = '';
let workerKey = '';
let ids: Record<string, string> = {};
let lease: Lease | undefined;

const routes = listEndpoints().map(({ id, endpoint }) => ({
  id,
  endpoint,
  body: VALID_BODIES[id],
  query: VALID_QUERIES[id] ?? '',
}));
function routeOf(id: string): Endpoint {
  const route = routes.find((each) => each.id === id);
  if (!route) throw new Error(`no endpoint ${id}`);
  return route.endpoint;
}

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

/** A lease that still is held: what is asked under it may have ended the last one. */
async function liveLease(): Promise<Lease> {
  const held = lease && (await runs.report(lease, 'heartbeat', {})).status === 200;
  if (!held || (await runs.get(lease?.run_id ?? '')).state !== 'INPROGRESS') {
    const id = await runs.create();
    do lease = await runs.begin();
    while (lease.run_id !== id);
  }
  if (!lease) throw new Error('no lease');
  return lease;
}

function toRequest({ id, path, query, headers, body }: HostileRequest): Request {
  const { method, callers, bodyKind } = routeOf(id);
  const type = bodyKind === 'stream' ? 'text/plain' : 'application/json';
  return new Request(`http://127.0.0.1${API_PREFIX}${path}${query}`, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${callers.includes('worker') ? workerKey : key}`,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** The same request, under a lease that is held where it asks for one. */
async function underLease(asked: HostileRequest): Promise<HostileRequest> {
  if (asked.headers[LEASE_HEADER] !== LIVE_LEASE || !routeOf(asked.id).callers.includes('worker'))
    return asked;
  const { run_id, token } = await liveLease();
  const path = asked.path.replace(ids['runId'] ?? '', run_id);
  return { ...asked, path, headers: { ...asked.headers, [LEASE_HEADER]: token } };
}

/** What is wrong with the answer to a request; undefined when nothing is. */
async function fault(asked: HostileRequest): Promise<string | undefined> {
  const answer = await Promise.race([
    service.service.fetch(toRequest(await underLease(asked))),
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
      expect(await halfWritten(service.service.context.db)).toEqual([]);
    },
    isLong ? 30 * 60_000 : 60_000,
  );
});
