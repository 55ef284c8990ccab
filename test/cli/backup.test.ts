import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { Client, Pool } from 'pg';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { makeBackup, type BackupOptions } from '../../src/cli/backup/make-backup.ts';
import { restoreBackup, type RestoreOptions } from '../../src/cli/backup/restore-backup.ts';
import { DEFAULT_OPERATOR_CONFIG } from '../../src/config/operator-config.ts';
import type { Lease } from '../../src/contract/lease.ts';
import { BACKUP_LOCK, restoreOf, resume } from '../../src/database/backup/hold.ts';
import { roomsIn } from '../../src/database/backup/load-tables.ts';
import type { DatabaseLocation } from '../../src/database/open-database.ts';
import { sweepBlobs } from '../../src/service/artifacts/sweep-blobs.ts';
import { openAppDatabase } from '../support/app.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { runCliCommand } from '../support/cli-process.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { programFile } from '../support/programs.ts';
import { driveRuns, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { proxyStatements } from '../support/statement-proxy.ts';
import { Steps } from '../support/step-proxy.ts';

let folder: string;
let service: TestService;
let runs: RunDriver;
let workerKey: string;
/** Runs of the backed-up service, by the state they were left in. */
const left = { ended: '', working: '', claimed: '', first: '', second: '' };
let lease: Lease;
let file: string;

const common = {
  config: DEFAULT_OPERATOR_CONFIG,
  variables: {},
  log: silentLog,
  signal: new AbortController().signal,
};

const backupTo = (to: string, more: Partial<BackupOptions> = {}) =>
  makeBackup({
    ...common,
    file: to,
    location: { url: service.databaseUrl },
    dataDir: service.dataDir,
    contents: true,
    ...more,
  });

const restoreTo = (
  location: DatabaseLocation,
  dataDir: string,
  from = file,
  more: Partial<RestoreOptions> = {},
) => restoreBackup({ ...common, file: from, location, dataDir, ...more });

async function freshDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'runlink-restored-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** How many rows each table has, and what all of them say together. */
async function digest(url: string): Promise<Record<string, string>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('runlink', 'app') and table_name not like 'migrations%' order by 1`,
  );
  const said: Record<string, string> = {};
  for (const { name } of rows) {
    const text = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as all from ${name} t`;
    said[name] = (await client.query<{ all: string }>(text)).rows[0]?.all ?? '';
  }
  await client.end();
  return said;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runlink-backup-'));
  ({ service, runs, workerKey } = await startDriver(() => startTestService()));
  left.ended = await runs.create({ prompt: 'line one\nline two\t\\ "quoted" ünïcode' });
  const ended = await runs.begin();
  await runs.upload(ended, 'report.html');
  await runs.complete(ended, 'SUCCEEDED');
  left.working = await runs.create();
  lease = await runs.begin();
  left.claimed = await runs.create();
  await runs.claim();
  left.first = await runs.create({ title: 'first' });
  left.second = await runs.create({ title: 'second' });
  await writeFile(join(service.dataDir, 'owner.key'), 'rl_owner\n', { mode: 0o600 });
  file = join(folder, 'one.tar.gz');
  await backupTo(file);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a backup', () => {
  it('is for its owner’s eyes, and has its name only once it is whole', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const stopped = new AbortController();
    const cut = join(folder, 'cut.tar.gz');
    stopped.abort();
    await expect(backupTo(cut, { signal: stopped.signal })).rejects.toThrow('aborted');
    expect((await readdir(folder)).filter((name) => name.startsWith('cut'))).toEqual([]);
  });

  it('overwrites none', async () => {
    await expect(backupTo(file)).rejects.toThrow('is there already');
  });

  it('is of one moment, while runs go on', async () => {
    const to = join(await freshDir(), 'busy.tar.gz');
    const more = Promise.all(Array.from({ length: 40 }, () => runs.create()));
    await Promise.all([backupTo(to), more]);
    const url = await useEmptyDatabase();
    await restoreTo({ url }, await freshDir(), to);
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      `select count(*) filter (where t.run_id is null)::int as torn from runlink.runs r
       left join runlink.run_texts t on t.run_id = r.id`,
    );
    await client.end();
    expect(rows).toEqual([{ torn: 0 }]);
    const waiting = await service.service.context.db
      .selectFrom('runs')
      .select('id')
      .where('state', '=', 'QUEUED')
      .execute();
    for (const { id } of waiting)
      if (id !== left.first && id !== left.second)
        await runs.ask('POST', `/agent/runs/${id}/cancel`);
  });

  it('holds back the deletion of contents until it is made', async () => {
    const { context } = service.service;
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    onTestFinished(() => client.end().catch(() => undefined));
    await client.query('select pg_advisory_lock($1)', [BACKUP_LOCK]);
    await context.db
      .insertInto('blob_garbage')
      .values({ key: 'artifacts/none', delete_after: new Date(0) })
      .execute();
    expect(await sweepBlobs(context)).toBe(0);
    await client.end();
    await expect.poll(() => sweepBlobs(context)).toBe(1);
  });

  it('leaves out what the store has lost, and says so', async () => {
    const [content] = await service.service.context.db
      .selectFrom('artifact_contents')
      .select('blob_key')
      .execute();
    const path = join(service.dataDir, 'blobs', content?.blob_key ?? '');
    const bytes = await readFile(path);
    await rm(path);
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (what: unknown) => said.push(what) };
    const made = await backupTo(join(await freshDir(), 'lost.tar.gz'), { log: log as never });
    await writeFile(path, bytes);
    expect([made.contents, said]).toEqual([0, [{ keys: [content?.blob_key] }]]);
    await restoreTo({ url: await useEmptyDatabase() }, await freshDir(), made.file);
  });
});

describe('a restored service', () => {
  it('has all there was; what was under way is at rest, and nothing begins before --resume', async () => {
    const url = await useEmptyDatabase();
    const dataDir = await freshDir();
    expect(await restoreTo({ url }, dataDir)).toMatchObject({ lost: 1, queued: 3, contents: 1 });
    expect(await readFile(join(dataDir, 'owner.key'), 'utf8')).toBe('rl_owner\n');

    const again = await startTestService({ databaseUrl: url, dataDir });
    onTestFinished(() => again.close());
    const restored = driveRuns(again, runs.key, workerKey);
    const { waiting, ...first } = await restored.get(left.first);
    expect(waiting?.reason).toBe('held');
    const { waiting: _, ...before } = await runs.get(left.first);
    expect(first).toEqual(before);
    const done = await restored.get(left.ended);
    expect({ ...done, session_link: '' }).toEqual({
      ...(await runs.get(left.ended)),
      session_link: '',
    });
    expect(await restored.get(left.working)).toMatchObject({
      state: 'ERROR',
      status_message: { message: expect.stringContaining('restored from a backup') },
    });
    expect((await restored.get(left.claimed)).state).toBe('QUEUED');

    const late = await restored.report(lease, 'heartbeat', { last_signal: 0 });
    expect(late.status).toBe(409);
    expect(await restored.claim()).toBeNull();
    const [artifact] = done.artifacts ?? [];
    const { artifact_uid: uid } = { artifact_uid: '', ...artifact?.data };
    const link = await restored.ask<{ data: { download_url: string } }>(
      'GET',
      `/agent/artifacts/${uid}`,
    );
    const content = await fetch(link.body.data.download_url);
    expect([content.status, await content.text()]).toEqual([
      200,
      expect.stringContaining('<script>'),
    ]);

    await resume(again.service.context.database.pool);
    const taken: string[] = [];
    await expect
      .poll(
        async () => {
          const next = await restored.claim();
          if (next) taken.push(next.run_id);
          return taken.length;
        },
        { timeout: 60_000 },
      )
      .toBe(3);
    expect(taken).toEqual([left.claimed, left.first, left.second]);
    await expect(resume(again.service.context.database.pool)).rejects.toThrow('Nothing is held');
  });

  it('looks for a post on GitHub before it writes it', async () => {
    const app = await openAppDatabase(service.databaseUrl);
    const post = (key: string) => sql`
      insert into app.posts (key, kind, installation_id, repository, number, target, content, digest)
      values (${key}, 'comment', 1, 'acme/web', 1, '{}', '{}', '')`;
    const keys = [`before-${randomUUID()}`, `after-${randomUUID()}`];
    await post(keys[0] ?? '').execute(app.kysely);
    const to = join(await freshDir(), 'app.tar.gz');
    await backupTo(to);
    const url = await useEmptyDatabase();
    await restoreTo({ url }, await freshDir(), to);
    const restored = await openAppDatabase(url);
    await post(keys[1] ?? '').execute(restored.kysely);
    const { rows } = await restored.pool.query(
      `select key, tried_at is not null as looked, id > 1 as counted from app.posts
       where key = any($1) order by id`,
      [keys],
    );
    expect(rows).toEqual([
      { key: keys[0], looked: true, counted: expect.any(Boolean) },
      { key: keys[1], looked: true, counted: true },
    ]);
  });

  it('goes from one’s own PostgreSQL into the embedded one and back, by the command line', async () => {
    const dir = await freshDir();
    const [back, log] = [join(dir, 'back.tar.gz'), { RUNLINK_LOG: 'error' }];
    const data = join(dir, 'data');
    const into = await runCliCommand(['restore', file, '--data', data], log);
    expect([into.code, into.stderr]).toEqual([0, '']);
    expect(into.stdout).toContain('runlink restore --resume');
    const resumed = await runCliCommand(['restore', '--resume', '--data', data], log);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    const out = await runCliCommand(['backup', back, '--data', data, '--json'], log);
    expect([out.code, out.stderr]).toEqual([0, '']);
    expect(JSON.parse(out.stdout)).toMatchObject({ contents: 1 });
    const [one, other] = [await useEmptyDatabase(), await useEmptyDatabase()];
    await restoreTo({ url: one }, await freshDir());
    await restoreTo({ url: other }, await freshDir(), back);
    const [first, second] = [await digest(one), await digest(other)];
    const changing = ['runs', 'run_events', 'executions', 'api_keys'].map(
      (name) => `runlink.${name}`,
    );
    for (const table of changing) {
      expect(first[table]?.split(' ')[0]).toBe(second[table]?.split(' ')[0]);
      delete first[table];
      delete second[table];
    }
    expect(second).toEqual(first);
  });
});

describe('a restore', () => {
  it('is refused where there is a service already, and from a newer release', async () => {
    const dir = await freshDir();
    await expect(restoreTo({ url: service.databaseUrl }, dir)).rejects.toThrow(
      'There is a service in this database already.',
    );
    const plain = gunzipSync(await readFile(file)).toString('latin1');
    const newer = join(folder, 'newer.tar.gz');
    const bytes = Buffer.from(
      plain.replace(/"runlink": "0\d+_(\w)/, (step) =>
        step.replace(/0\d+/, (n) => '9'.repeat(n.length)),
      ),
      'latin1',
    );
    await writeFile(newer, gzipSync(bytes));
    await expect(restoreTo({ url: await useEmptyDatabase() }, dir, newer)).rejects.toThrow(
      'A newer release made this backup',
    );
  });

  it('is refused from a file that was cut anywhere; nothing opens the half, the next try succeeds', async () => {
    const whole = await readFile(file);
    const url = await useEmptyDatabase();
    const dir = await freshDir();
    const half = join(folder, 'half.tar.gz');
    const plain = gunzipSync(whole);
    for (const bytes of [
      Buffer.from('no backup'),
      whole.subarray(0, whole.length / 3),
      whole.subarray(0, whole.length - 5),
      gzipSync(plain.subarray(0, Math.floor(plain.length / 1024) * 512)),
      gzipSync(plain.subarray(0, plain.lastIndexOf('end.json'))),
    ]) {
      await writeFile(half, bytes);
      await expect(restoreTo({ url }, dir, half)).rejects.toMatchObject({
        code: expect.stringMatching('archive_broken'),
      });
    }
    await expect(startTestService({ databaseUrl: url })).rejects.toThrow('only restored in part');
    await restoreTo({ url }, dir);
    const pool = new Pool({ connectionString: url });
    onTestFinished(() => pool.end());
    expect((await pool.query('select from runlink.runs')).rowCount).toBeGreaterThan(4);
  });
});

it('contents kept in S3 go into a backup, and out of one; S3 that is away makes none', async () => {
  const s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await freshDir(),
    configureBuckets: [{ name: 'runs' }],
  });
  const { port } = await s3.run();
  let isOpen = true;
  const closeStore = async (): Promise<void> => {
    if (isOpen) await s3.close();
    isOpen = false;
  };
  onTestFinished(closeStore);
  const inStore = {
    config: {
      ...DEFAULT_OPERATOR_CONFIG,
      storage: {
        driver: 's3' as const,
        bucket: 'runs',
        region: 'us-east-1',
        endpoint: `http://127.0.0.1:${port}`,
        path_style: true,
        access_key_id_variable: 'A',
        secret_access_key_variable: 'B',
      },
    },
    variables: { A: 'S3RVER', B: 'S3RVER' },
  };
  const [url, other, dir, back] = [
    await useEmptyDatabase(),
    await useEmptyDatabase(),
    await freshDir(),
    join(await freshDir(), 's3.tar.gz'),
  ];
  const location = { url };
  expect(await restoreTo(location, dir, file, inStore)).toMatchObject({ contents: 1 });
  expect(await readdir(dir)).toEqual(['owner.key']);
  expect(await backupTo(back, { location, dataDir: dir, ...inStore })).toMatchObject({
    contents: 1,
  });
  const into = await freshDir();
  await restoreTo({ url: other }, into, back);
  const keys = await readdir(join(into, 'blobs'), { recursive: true, withFileTypes: true });
  const [content] = keys.filter((entry) => entry.isFile());
  const text = await readFile(join(content?.parentPath ?? '', content?.name ?? ''), 'utf8');
  expect(text).toContain('<script>');

  const pool = new Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  await pool.query(`update runlink.artifact_contents set blob_key = 'artifacts/lost'`);
  const lost = await backupTo(join(await freshDir(), 'lost.tar.gz'), { location, ...inStore });
  expect(lost).toMatchObject({ contents: 0 });
  await closeStore();
  const away = join(folder, 's3-away.tar.gz');
  await expect(backupTo(away, { location, ...inStore })).rejects.toMatchObject({
    code: 'store_failed',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect((await readdir(folder)).filter((name) => name.startsWith('s3-away'))).toEqual([]);
});

// Each run shows above that a backup which is stopped leaves nothing, and that nothing opens half a restore.
describe.runIf(process.env['RUNLINK_TEST_LONG'] !== undefined)('killed in the middle', () => {
  const limit = 1_200_000;
  const KILLS = 60;

  /**
   * Kills that visit every step of what a command says to its database, before and after its
   * effect.
   */
  async function killing(databaseUrl: string, words: (url: string) => string[]) {
    const steps = new Steps();
    const url = await proxyStatements(databaseUrl, steps, () => false);
    /** Answers how many steps it took where it was not killed. */
    return async (place?: number): Promise<number | 'killed'> => {
      const child = spawn(process.execPath, [programFile('src/cli/main.ts'), ...words(url)], {
        env: { ...cleanEnvironment(), RUNLINK_LOG: 'silent' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const step = place === undefined ? Infinity : Math.floor(place / 2) + 1;
      const moment = (place ?? 0) % 2 ? 'after' : 'before';
      steps.interruptAt(step, moment, () => void child.kill('SIGKILL'));
      await once(child, 'exit');
      const taken = steps.letBe();
      if (child.signalCode) return 'killed';
      expect(child.exitCode).toBe(0);
      return taken;
    };
  }

  /** So many places, spread over all that there are. */
  const places = (count: number, steps: number): number[] =>
    Array.from({ length: count }, (_, kill) => Math.floor(((kill + 0.5) * 2 * steps) / count));

  it(
    'a backup has left nothing that looks whole, and the next one succeeds',
    async () => {
      const to = join(await freshDir(), 'killed.tar.gz');
      const run = await killing(service.databaseUrl, (url) => {
        return ['backup', to, '--database-url', url, '--data', service.dataDir];
      });
      const steps = await run();
      await rm(to);
      for (const place of places(KILLS, Number(steps))) {
        expect([place, await run(place)]).toEqual([place, 'killed']);
        expect([place, (await readdir(dirname(to))).includes('killed.tar.gz')]).toEqual([
          place,
          false,
        ]);
      }
      await run();
      expect((await stat(to)).mode & 0o777).toBe(0o600);
      await restoreTo({ url: await useEmptyDatabase() }, await freshDir(), to);
    },
    limit,
  );

  it(
    'a restore has left nothing that opens, and the next one has everything',
    async () => {
      const command = (dir: string) => (url: string) => {
        return ['restore', file, '--database-url', url, '--data', dir];
      };
      const whole = await useEmptyDatabase();
      const steps = await (await killing(whole, command(await freshDir())))();
      const [url, dir] = [await useEmptyDatabase(), await freshDir()];
      const run = await killing(url, command(dir));
      const pool = new Pool({ connectionString: url });
      onTestFinished(() => pool.end());
      for (const place of places(KILLS, Number(steps))) {
        expect([place, await run(place)]).toEqual([place, 'killed']);
        const state = await restoreOf(pool);
        const rooms = await roomsIn(pool);
        const half = state
          ? { place, finished: false, rooms }
          : { place, finished: undefined, rooms: [] };
        expect({ place, finished: state?.finished, rooms }).toEqual(half);
        const words = 'only restored in part';
        const opening =
          rooms.length === 0 ? words : startTestService({ databaseUrl: url }).catch(String);
        expect(await opening).toEqual(expect.stringContaining(words));
      }
      await run();
      const [one, other] = [await digest(whole), await digest(url)];
      expect(Object.keys(other)).toEqual(Object.keys(one));
      for (const [table, said] of Object.entries(one))
        expect([table, other[table]?.split(' ')[0]]).toEqual([table, said.split(' ')[0]]);
    },
    limit,
  );
});
