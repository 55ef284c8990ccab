import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunlinkError } from '../../src/base/error.ts';
import { diskUse } from '../../src/worker/disk-use.ts';
import { thrownOutcome } from '../../src/worker/run/agent/outcome.ts';
import { openBench, temporaryDirectory, type Bench } from '../support/worker-bench.ts';
import { startMountedWorker } from '../support/mounted-worker.ts';
import { makeRemote } from '../support/worker-remote.ts';

const FILL = 'head -c 100000000 /dev/zero > big; true';
const MEGABYTE = 1_000_000;
const SOON = { timeout: 60_000 };

/**
 * A worker whose data lies on a disk of its own of this size. Answers that directory as seen from
 * here.
 */
async function startOnSmallDisk(bench: Bench, megabytes: number): Promise<string> {
  const pid = await startMountedWorker(bench, {
    mount: `mount -t tmpfs -o size=${megabytes}m none "$0"`,
    at: bench.dataDir,
  });
  return `/proc/${pid}/root${bench.dataDir}`;
}

describe('a disk that is full', () => {
  it('ends the run with a word about it, and is emptied for the next', async () => {
    const bench = await openBench();
    const remote = makeRemote(temporaryDirectory());
    const data = await startOnSmallDisk(bench, 16);
    const run = await bench.ended(bench.fake([{ shell: FILL }, { say: 'done' }], {}, remote));
    expect(run.completed).toHaveLength(1);
    expect(run.completed[0]).toMatchObject({
      state: 'ERROR',
      error_code: 'resource_unavailable',
      message: expect.stringMatching(/no space left.*Make room.*workspaces/i),
    });
    await expect.poll(() => readdirSync(join(data, 'runs')), SOON).toEqual([]);
    const next = await bench.ended(bench.fake([{ say: 'next' }], {}, remote));
    expect(next.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'next' });
    expect(readdirSync(join(data, 'runs'))).toEqual([next.lease.run_id]);
    expect(run.completed).toHaveLength(1);
    const { environment } = bench.lease({}, remote);
    if (!environment) throw new Error('the lease has an environment');
    const setup_commands = ['head -c 100000000 /dev/zero > big'];
    const change = { environment: { ...environment, setup_commands } };
    const setUp = await bench.ended(bench.fake([{ say: 'never' }], change, remote));
    expect(setUp.completed[0]?.message).toMatch(/No space left on device\. Make room.*workspaces/i);
  });

  it('is why something failed there, where that has no word of it, as git has none of a lock', () => {
    const said = new RunlinkError('git_failed', 'couldn\u2019t write main.lock', { hint: 'Ask.' });
    expect(thrownOutcome(said).message).toMatch(/lock\. Ask\.$/);
    const message: unknown = expect.stringMatching(/lock\. Make room/);
    expect(thrownOutcome(said, true)).toMatchObject({
      error_code: 'resource_unavailable',
      message,
    });
  });
});

describe('a run that takes up too much', () => {
  it('is stopped, and its workspace is gone', async () => {
    const bench = await openBench();
    await bench.start({ limits: { workspaceBytes: 20 * MEGABYTE } });
    const run = await bench.ended(bench.fake([{ say: 'x' }, { shell: FILL }, { hang: true }]));
    expect(run.completed).toMatchObject(
      [
        {
          state: 'ERROR',
          error_code: 'infrastructure_timeout',
          message: /its limit is 20000000\. Have it keep less/,
        },
      ].map(({ message, ...rest }) => ({ ...rest, message: expect.stringMatching(message) })),
    );
    await expect.poll(() => readdirSync(join(bench.dataDir, 'runs')), SOON).toEqual([]);
    expect(await bench.processesOf(run)).toEqual([]);
  });

  it('because its repository is that large never begins', async () => {
    const bench = await openBench();
    await bench.start({ limits: { workspaceBytes: 4 * MEGABYTE } });
    const huge = randomBytes(6 * MEGABYTE).toString('base64');
    const remote = makeRemote(temporaryDirectory(), { '-huge.bin': huge });
    const run = await bench.ended(bench.fake([{ say: 'x' }], {}, remote));
    expect(run.completed).toMatchObject([
      { state: 'FAILED', error_code: 'environment_setup_failed' },
    ]);
    expect(run.completed[0]?.message).toContain('more than 4000000 bytes');
    expect(readdirSync(join(bench.dataDir, 'mirrors'))).toEqual([]);
    expect(await diskUse([join(bench.dataDir, 'runs')])).toBeLessThan(MEGABYTE);
  });
});
