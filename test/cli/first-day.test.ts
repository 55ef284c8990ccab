import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { runCliHere } from '../support/cli-here.ts';
import { runCliCommand } from '../support/cli-process.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startStandIn, temporaryDirectory } from '../support/standin.ts';
import { FAKE_HARNESSES, script } from '../support/worker-remote.ts';

let service: TestService;
let runs: RunDriver;
let workerKey: string;

beforeAll(async () => {
  ({ service, runs, workerKey } = await startDriver(() =>
    startTestService({ config: { harnesses: FAKE_HARNESSES, default_harness: 'fake' } }),
  ));
});
afterAll(() => service.close());

const quiet = { RUNLINK_LOG: 'silent' };
const serve = async (...words: string[]) =>
  runCliHere(['serve', '--port', '0', '--no-worker', ...words], quiet);

describe('what goes wrong on the first day is said with what to do', () => {
  it.each([
    ['its password', (url: URL) => void (url.password = 'wrong'), 'Check user and password'],
    ['its name', (url: URL) => void (url.pathname = '/nowhere'), 'createdb NAME'],
    ['its encryption', (url: URL) => url.searchParams.set('sslmode', 'require'), 'sslmode'],
    ['its port', (url: URL) => void (url.port = '1'), 'that PostgreSQL is running'],
  ])('of a database, by %s', async (_, spoil, hint) => {
    const url = new URL(service.databaseUrl);
    spoil(url);
    const data = await temporaryDirectory();
    const { code, stderr } = await serve('--database-url', url.href, '--data', data);
    expect(code).toBe(1);
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it('of a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const words = ['--database-url', service.databaseUrl, '--data', await temporaryDirectory()];
    const { code, stderr } = await serve(...words, '--port', String(port));
    expect([code, stderr]).toEqual([1, expect.stringContaining('Choose another --port')]);
    const metrics = ['--metrics-port', String(port), '--data', await temporaryDirectory()];
    const worker = ['worker', '--base-url', service.url, '--sandbox', 'direct', ...metrics];
    const ended = await runCliHere(worker, { ...quiet, RUNLINK_API_KEY: workerKey });
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringContaining('Choose another --metrics-port'),
    ]);
  });

  it('of a worker that is to wait for runs, and to take any number', async () => {
    const { code, stderr } = await runCliHere(['worker', '--wait', '5s'], quiet);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Add --once')]);
  });

  it('of an address that is elsewhere, and of a data directory that is a file', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    const words = ['--database-url', service.databaseUrl, '--data', await temporaryDirectory()];
    const elsewhere = await serve(...words, '--host', '192.0.2.1');
    const data = await serve('--data', file);
    const to = join(file, 'b.tar.gz');
    const backup = await runCliHere(['backup', to, '--database-url', service.databaseUrl], quiet);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('Give --host')]);
    expect([data.code, data.stderr]).toEqual([1, expect.stringContaining('with --data')]);
    expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining('yours to use')]);
  });

  it('of a data directory where none can be made, and of a backup onto what is there', async () => {
    const { code, stderr } = await serve('--data', '/proc/runlink/data');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/\/proc\/runlink\/data cannot be made[^]*may write with --data/),
    ]);
    const nowhere = await serve('--data', '');
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('--data is empty')]);
    const pipe = join(await temporaryDirectory(), 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const backup = await runCliHere(['backup', pipe, '--database-url', service.databaseUrl], quiet);
    expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining('is there already')]);
  });

  it('of a disk without room, for a worker', async () => {
    const node = resolve(import.meta.dirname, '../../node_modules/.bin/node');
    const dir = await temporaryDirectory();
    const disk = ['--dev-bind', '/', '/', '--size', '4096', '--tmpfs', dir];
    const words = ['src/cli/main.ts', 'worker', '--base-url', service.url, '--sandbox', 'direct'];
    const ended = promisify(execFile)('bwrap', [...disk, node, ...words, '--data', dir], {
      env: { ...cleanEnvironment(), ...quiet, RUNLINK_API_KEY: workerKey },
    });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no room on the disk of \S+: ENOSPC[^]*Make room/) as string,
    });
  });

  it('of a configuration that is a directory', async () => {
    const folder = await temporaryDirectory();
    const { code, stderr } = await serve('--config', folder, '--data', await temporaryDirectory());
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/cannot be read[^]*has to be a file/),
    ]);
  });

  it('of a machine without git, before any run', async () => {
    const node = resolve(import.meta.dirname, '../../node_modules/.bin/node');
    const hide = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/git'];
    const words = ['src/cli/main.ts', 'worker', '--base-url', service.url, '--sandbox', 'direct'];
    const data = ['--data', await temporaryDirectory()];
    const ended = promisify(execFile)('bwrap', [...hide, node, ...words, ...data], {
      env: { ...cleanEnvironment(), ...quiet, RUNLINK_API_KEY: workerKey },
    });
    await expect(ended).rejects.toMatchObject({
      stderr: expect.stringMatching(/git cannot be started.*\n.*apt-get install git/),
    });
  });

  it('of keys that are refused: the process ends, and does not try for ever', async () => {
    const github = await startStandIn();
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const where = ['--base-url', service.url, '--database-url', service.databaseUrl];
    const words = ['--port', '0', '--github-api-url', github.apiUrl];
    const app = async (env: Record<string, string>) =>
      runCliCommand(['app', ...where, ...words, '--data', await temporaryDirectory()], {
        ...quiet,
        APP_ID: String(github.app.id),
        PRIVATE_KEY: github.app.privateKey,
        WEBHOOK_SECRET: 'secret of the test',
        RUNLINK_API_KEY: runs.key,
        ...env,
      });
    const [worker, ours, theirs] = await Promise.all([
      runCliCommand(['worker', '--base-url', service.url, '--data', await temporaryDirectory()], {
        ...quiet,
        RUNLINK_API_KEY: 'rl_wrong',
      }),
      app({ RUNLINK_API_KEY: 'rl_wrong' }),
      app({ PRIVATE_KEY: privateKey }),
    ]);
    expect([worker.code, worker.stderr]).toEqual([7, expect.stringContaining('API key')]);
    expect([ours.code, ours.stderr]).toEqual([7, expect.stringContaining('API key')]);
    expect([theirs.code, theirs.stderr]).toEqual([
      1,
      expect.stringMatching(/GitHub refuses the App.*\n.*APP_ID and PRIVATE_KEY/),
    ]);
  });
});

it('what a machine can do, and a configuration, are also told as JSON', async () => {
  const doctor = await runCliHere(['doctor', '--json=git,sandbox'], {});
  const config = await runCliHere(['config', 'check', 'examples/none.yaml', '--json'], {});
  expect(JSON.parse(doctor.stdout)).toMatchObject({ git: expect.stringContaining('git version') });
  expect(JSON.parse(config.stderr)).toMatchObject({ error: { code: 'config_not_found' } });
});

describe('a worker without a file of its own', () => {
  it('has the agents and limits of its service, and of the machine only the secrets', async () => {
    const settings = await service.request('GET', '/worker/settings', { key: workerKey });
    expect(await settings.json()).toMatchObject({
      default_harness: 'fake',
      harnesses: { fake: { agent: 'acp' } },
      limits: { run_time: '24h' },
    });
    const id = await runs.create({ prompt: script({ say: 'Done.' }) });
    const ended = await runCliCommand(
      ['worker', '--once', '--base-url', service.url, '--data', await temporaryDirectory()],
      { ...quiet, RUNLINK_API_KEY: workerKey },
    );
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect((await runs.get(id)).state).toBe('SUCCEEDED');
  });
});
