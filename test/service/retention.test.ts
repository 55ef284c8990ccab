import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepBlobs } from '../../src/service/artifacts/sweep-blobs.ts';
import { sweepEndedRuns } from '../../src/service/runs/life/sweep-ended.ts';
import { LEASE_HEADER } from '../../src/contract/lease.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;
let workerKey = '';

beforeAll(async () => {
  ({ service, runs, workerKey } = await startDriver(() =>
    startTestService({ config: { limits: { retention: '30d' } } }),
  ));
});
afterAll(() => service.close());

/** A run with a file that ended this many days ago. */
async function endedRun(daysAgo: number): Promise<string> {
  const id = await runs.create();
  const lease = await runs.begin();
  await fetch(`${service.baseUrl}/worker/runs/${id}/artifacts?filepath=a&mime_type=text/plain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workerKey}`, [LEASE_HEADER]: lease.token },
    body: 'content',
  });
  await runs.complete(lease, 'SUCCEEDED');
  const finished_at = new Date(Date.now() - daysAgo * 86_400_000);
  await service.service.context.db
    .updateTable('runs')
    .set({ finished_at })
    .where('id', '=', id)
    .execute();
  return id;
}

async function keysOfContents(): Promise<string[]> {
  const rows = await service.service.context.db
    .selectFrom('artifact_contents')
    .select('blob_key')
    .execute();
  return rows.map(({ blob_key }) => blob_key ?? '');
}

describe('retention', () => {
  it('deletes old ended runs with their contents, and nothing else', async () => {
    const { context } = service.service;
    const old = await endedRun(31);
    const [oldKey = ''] = await keysOfContents();
    const recent = await endedRun(29);
    const working = await runs.create();
    expect(await sweepEndedRuns(context)).toBe(1);
    const status = async (id: string) => (await runs.ask('GET', `/agent/runs/${id}`)).status;
    expect(await Promise.all([old, recent, working].map(status))).toEqual([404, 200, 200]);
    expect(await sweepBlobs(context)).toBe(1);
    await expect(context.blobs.read(oldKey)).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
    expect(await keysOfContents()).toHaveLength(1);
  });
});
