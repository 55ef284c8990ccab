import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { newRunFile, writeRunFile } from '../../src/worker/lease/run-file.ts';
import { startWorker } from '../../src/worker/main.ts';
import type { WorkerOptions } from '../../src/worker/worker-options.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_HARNESSES, script } from '../support/worker-remote.ts';
import { programFile } from '../support/programs.ts';

const WITHIN = { timeout: 45_000, interval: 100 };
const WEB = { id: 'webwebwebwebwebwebwebw', name: 'web' };

let service: TestService;
let runs: RunDriver;
let workerKey = '';

beforeAll(async () => {
  ({ service, runs, workerKey } = await startDriver(() =>
    startTestService({
      config: { harnesses: FAKE_HARNESSES, default_harness: 'fake', environments: [WEB] },
    }),
  ));
});
afterAll(() => service.close());

const create = (...steps: Parameters<typeof script>): Promise<string> =>
  runs.create({ prompt: script(...steps), config: { environment_id: WEB.id } });
const stateOf = async (id: string): Promise<string> => (await runs.get(id)).state;

async function startOne(options: Partial<WorkerOptions> = {}) {
  const worker = await startWorker({
    baseUrl: service.baseUrl,
    apiKey: workerKey,
    dataDir: temporaryDirectory(),
    harnesses: FAKE_HARNESSES,
    defaultHarness: 'fake',
    environment: { PATH: process.env['PATH'] },
    once: true,
    onlyEnvironment: 'web',
    limits: { cancelGraceMs: 500 },
    log: silentLog,
    ...options,
  });
  onTestFinished(() => worker.drain(0));
  return worker;
}

describe('a worker of one run', () => {
  it('carries out exactly one, however many wait, and knows how it ended', async () => {
    const [first, second] = [await create({ say: 'Done.' }), await create({ say: 'Done.' })];
    const other = await runs.create({ prompt: script({ say: 'Done.' }) });
    const worker = await startOne();
    await worker.over;
    expect(worker.verdict()).toBe('SUCCEEDED');
    expect(await stateOf(first)).toBe('SUCCEEDED');
    expect([await stateOf(second), await stateOf(other)]).toEqual(['QUEUED', 'QUEUED']);
    for (const id of [second, other]) await runs.ask('POST', `/agent/runs/${id}/cancel`);
  });

  it('waits no longer than it is told to', async () => {
    const worker = await startOne({ waitMs: 50 });
    await worker.over;
    expect(worker.verdict()).toBeUndefined();
  });

  it('ends a run that it may not finish, and says that it was told to end', async () => {
    const id = await create({ say: 'start' }, { shell: 'sleep 600' });
    const worker = await startOne();
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('INPROGRESS'), WITHIN);
    await worker.drain(0);
    await worker.over;
    expect(worker.verdict()).toBe('ERROR');
    const { state, status_message } = await runs.get(id);
    expect(state).toBe('ERROR');
    expect(status_message).toMatchObject({
      message: 'The worker was told to end before the run had ended. Start the run again.',
      retryable: true,
    });
  });

  it('that was killed goes on with its run when it is started again, and takes no other', async () => {
    const dataDir = temporaryDirectory();
    const [first, second] = [await create({ say: 'Done.' }), await create({ say: 'Done.' })];
    const lease = await runs.claim({ environment: 'web', harnesses: ['fake'] });
    expect(lease?.run_id).toBe(first);
    const file = newRunFile(first);
    await writeRunFile(join(dataDir, 'runs', first), {
      ...file,
      lease: { token: lease?.token ?? '', attempt: 1 },
    });
    const worker = await startOne({ dataDir });
    await worker.over;
    expect(await stateOf(first)).toBe('SUCCEEDED');
    expect(await stateOf(second)).toBe('QUEUED');
    await runs.ask('POST', `/agent/runs/${second}/cancel`);
  });

  it('and any other, claims nothing more once the service refuses it', async () => {
    const personal = await service.personalKey();
    for (const change of [{ apiKey: 'rl_wrong' }, { apiKey: personal }, { onlyEnvironment: 'x' }]) {
      const worker = await startOne({ once: false, ...change });
      await expect(worker.over).rejects.toMatchObject({ kind: 'problem' });
    }
  });
});

/** `runlink worker --once` as a process. */
function spawnOne(key: string, config: string, words: string[] = []): ChildProcess {
  const where = ['--config', config, '--data', temporaryDirectory()];
  const child = spawn(
    process.execPath,
    [
      programFile('src/cli/main.ts'),
      'worker',
      '--once',
      '--environment',
      'web',
      ...where,
      ...words,
    ],
    {
      env: { ...cleanEnvironment(), RUNLINK_BASE_URL: service.baseUrl, RUNLINK_API_KEY: key },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

async function configFile(): Promise<string> {
  const file = join(temporaryDirectory(), 'runlink.yaml');
  await writeFile(file, JSON.stringify({ harnesses: FAKE_HARNESSES, default_harness: 'fake' }));
  return file;
}

describe('runlink worker --once', () => {
  it('exits with the run’s verdict, with 7 for a key that does not work, with 6 where no service came in time', async () => {
    const config = await configFile();
    const failing = await create({ exit: 3 });
    const nowhere = ['--wait', '0s', '--base-url', 'http://127.0.0.1:9/api/v1'];
    const lonely = spawnOne(workerKey, config, nowhere);
    const [failed, refused, alone, said] = await Promise.all([
      exitOf(spawnOne(workerKey, config)),
      exitOf(spawnOne('rl_wrong', config)),
      exitOf(lonely),
      text(lonely.stderr ?? Readable.from([])),
    ]);
    expect(said).toContain('Cannot reach 127.0.0.1:9 ');
    expect(await stateOf(failing)).toBe('ERROR');
    expect([failed, refused, alone]).toEqual([3, 7, 6]);
  });

  it('loses no run when it is told to end, before it has one or after', async () => {
    const config = await configFile();
    const seen = async (): Promise<number> =>
      (await service.service.context.db.selectFrom('workers').select('worker_id').execute()).length;
    const before = await seen();
    const waiting = spawnOne(workerKey, config);
    await vi.waitFor(async () => expect(await seen()).toBe(before + 1), WITHIN);
    waiting.kill('SIGTERM');
    expect(await exitOf(waiting)).toBe(143);
    const id = await create({ say: 'start' }, { shell: 'sleep 1' }, { say: 'end' });
    const working = spawnOne(workerKey, config, ['--grace', '1m']);
    // On a slow machine it may have ended by then.
    const begun = ['INPROGRESS', 'SUCCEEDED'];
    await vi.waitFor(async () => expect(begun).toContain(await stateOf(id)), WITHIN);
    working.kill('SIGTERM');
    expect(await exitOf(working)).toBe(0);
    expect(await stateOf(id)).toBe('SUCCEEDED');
  });
});
