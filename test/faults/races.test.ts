import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../src/contract/lease.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const RUNS = isLong ? 400 : 40;
const ROUNDS = isLong ? 3 : 1;
const CLAIMERS = 4;
const CANCELLERS = 2;
const NO_SWEEP_MS = 60 * 60_000;
/** A full round takes about 10 s on a quiet machine. */
const WITHIN_MS = isLong ? 10 * 60_000 : 60_000;

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  // Claims are acknowledged only once all are counted: meanwhile none may go back to the queue.
  ({ service, runs } = await startDriver(() => startTestService({ graceMs: NO_SWEEP_MS })));
});
afterAll(() => service.close());

async function claimAll(workerId: string): Promise<Lease[]> {
  const leases: Lease[] = [];
  for (let misses = 0; misses < 3;) {
    const lease = await runs.claim({ workerId });
    if (lease) leases.push(lease);
    else misses += 1;
  }
  return leases;
}

async function cancelAll(ids: readonly string[]): Promise<string[]> {
  const cancelled: string[] = [];
  for (const id of ids) {
    const { status } = await runs.ask('POST', `/agent/runs/${id}/cancel`);
    expect([200, 409]).toContain(status);
    if (status === 200) cancelled.push(id);
  }
  return cancelled;
}

describe('cancel against claim', () => {
  it(
    'gives every run to exactly one of them, and queue and runs agree',
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const ids = await Promise.all(Array.from({ length: RUNS }, () => runs.create()));
        const [claimed, cancelled] = await Promise.all([
          Promise.all(Array.from({ length: CLAIMERS }, (_, n) => claimAll(`w${n}`))),
          Promise.all(
            Array.from({ length: CANCELLERS }, (_, n) =>
              cancelAll(ids.filter((_id, index) => index % CANCELLERS === n).toReversed()),
            ),
          ),
        ]);
        const leases = claimed.flat();
        const both = [...leases.map(({ run_id }) => run_id), ...cancelled.flat()];
        expect(both.length).toBe(RUNS);
        expect(new Set(both)).toEqual(new Set(ids));
        const { rows } = await service.service.context.database.pool.query(
          `select r.state, j.state as job, count(*) from runs r
         join runlink_jobs.job j on j.name = 'runs' and j.id = r.job_id
         where r.id = any($1) group by 1, 2 order by 1`,
          [ids],
        );
        expect(rows).toEqual([
          { state: 'CANCELLED', job: 'cancelled', count: cancelled.flat().length },
          { state: 'PENDING', job: 'active', count: leases.length },
        ]);
        for (const lease of leases) await runs.report(lease, 'acknowledge');
        for (const lease of leases) await runs.complete(lease, 'SUCCEEDED');
      }
    },
    WITHIN_MS,
  );
});

describe('the same execution', () => {
  it(
    'said to have ended in two ways at once ends in one',
    async () => {
      for (let round = 0; round < (isLong ? 50 : 5); round += 1) {
        const id = await runs.create();
        const lease = await runs.begin();
        const answers = await Promise.all([
          runs.complete(lease, 'SUCCEEDED'),
          runs.complete(lease, 'FAILED'),
          runs.ask('POST', `/agent/runs/${id}/cancel`),
        ]);
        const { state } = await runs.get(id);
        expect(['SUCCEEDED', 'FAILED', 'CANCELLED']).toContain(state);
        const { body } = await runs.ask<{ events: { event_type: string }[] }>(
          'GET',
          `/agent/runs/${id}/timeline`,
        );
        const endings = body.events.filter(({ event_type }) =>
          ['oz_run_done', 'oz_run_failed', 'oz_run_cancelled'].includes(event_type),
        );
        expect(endings).toHaveLength(1);
        expect(answers.every(({ status }) => status < 500)).toBe(true);
      }
    },
    WITHIN_MS,
  );
});
