import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEASE_HEADER } from '../../../src/contract/lease.ts';
import { startDriver, type RunDriver } from '../../support/run-driver.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let directory = '';
let s3: S3rver;
let port = 0;
let service: TestService;
let runs: RunDriver;
let key = '';
let workerKey = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runlink-s3-'));
  s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'runs' }],
  });
  ({ port } = await s3.run());
  ({ service, runs, key, workerKey } = await startDriver(() =>
    startTestService({
      config: {
        storage: {
          driver: 's3',
          bucket: 'runs',
          endpoint: `http://127.0.0.1:${port}`,
          path_style: true,
          access_key_id_variable: 'S3_ID',
          secret_access_key_variable: 'S3_SECRET',
        },
      },
      variables: { S3_ID: 'S3RVER', S3_SECRET: 'S3RVER' },
    }),
  ));
});

afterAll(async () => {
  await service.close();
  await s3.close();
  await rm(directory, { recursive: true, force: true });
});

describe('artifacts in an S3-compatible store', () => {
  it('go there and are read from there by its own time-limited links', async () => {
    const id = await runs.create();
    const lease = await runs.begin();
    const query = 'filepath=out/report.txt&mime_type=text/plain';
    const upload = await fetch(`${service.baseUrl}/worker/runs/${id}/artifacts?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workerKey}`, [LEASE_HEADER]: lease.token },
      body: 'in the bucket',
    });
    const { artifact_uid: uid } = (await upload.json()) as { artifact_uid: string };
    const answer = await service.request('GET', `/agent/artifacts/${uid}/download`, { key });
    const location = answer.headers.get('location') ?? '';
    expect(location).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/runs/artifacts/`));
    expect(location).toContain('X-Amz-Expires=900');
    const content = await fetch(location);
    expect(await content.text()).toBe('in the bucket');
    expect(content.headers.get('content-disposition')).toContain('filename="report.txt"');
  });
});
