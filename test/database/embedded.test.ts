import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { findRunningServer } from '../../src/database/cluster.ts';
import { giveTo } from '../../src/database/server-account.ts';
import { boundLog, stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { openDatabase, type Database } from '../../src/database/open-database.ts';
import type { EmbeddedRole } from '../../src/database/open-embedded.ts';
import { programFile } from '../support/programs.ts';

let parent: string;
let dataDir: string;
/** What a test that failed half-way leaves open would be in the way of all that follow. */
const opened: Database<unknown>[] = [];
const elsewhere: ChildProcess[] = [];

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'runlink-embedded-'));
  dataDir = join(parent, 'data');
});
afterEach(async () => {
  for (const child of elsewhere.splice(0)) child.kill('SIGKILL');
  for (const database of opened.splice(0)) await database.close().catch(() => undefined);
  const server = await findRunningServer(dataDir);
  if (server) await stopEmbeddedServer(server.pid);
});
afterAll(() => rm(parent, { recursive: true, force: true }));

async function open(role: EmbeddedRole): Promise<Database<unknown>> {
  const location = { dataDir, role };
  const database = await openDatabase({
    location,
    schema: 'probe',
    migrations: {},
    log: silentLog,
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= database.close());
  opened.push({ ...database, close });
  return { ...database, close };
}
const running = async (): Promise<number | undefined> => (await findRunningServer(dataDir))?.pid;

/** A database that was killed recovers first, which waits for the disk. */
const soon = { timeout: 90_000, interval: 20 };

/** A process of its own that has the database open. */
async function openElsewhere(role: EmbeddedRole): Promise<ChildProcess> {
  const child = fork(programFile('test/database/database-process.ts'), [dataDir, role], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  elsewhere.push(child);
  await once(child, 'message');
  return child;
}

describe('the embedded database', () => {
  it('opens once when several processes start it at the same moment', async () => {
    const guests = await Promise.all([open('guest'), open('guest'), open('guest')]);
    const urls = new Set(guests.map(({ url }) => url));
    expect(urls.size).toBe(1);
    await Promise.all(guests.map((guest) => guest.close()));
  });

  it('starts in a directory nobody else may enter, keeps its password to itself, and ends with its owner', async () => {
    const database = await open('owner');
    const modes = await Promise.all(
      [parent, dataDir, join(dataDir, 'postgres/password'), join(dataDir, 'postgres.log')].map(
        async (path) => ((await stat(path)).mode & 0o777).toString(8),
      ),
    );
    expect(modes).toEqual(['700', '700', '600', '600']);
    const { rows } = await database.pool.query(
      `select current_setting('listen_addresses') as listen, current_setting('fsync') as fsync,
         (select string_agg(distinct auth_method, ',') from pg_hba_file_rules) as auth`,
    );
    expect(rows).toEqual([{ listen: '127.0.0.1', fsync: 'on', auth: 'scram-sha-256' }]);
    await database.close();
    expect(await running()).toBeUndefined();
  });

  it('has a log that grows no larger than it may, also while the server writes to it', async () => {
    const database = await open('owner');
    const log = join(dataDir, 'postgres.log');
    await truncate(log, 10 * 1024 * 1024 + 1);
    await boundLog(log);
    expect((await stat(log)).size).toBeLessThan(10_000);
    await expect(database.pool.query('select no_such_function()')).rejects.toThrow('no_such');
    await vi.waitFor(async () => expect(await readFile(log, 'utf8')).toContain('no_such'), soon);
    expect((await stat(log)).size).toBeLessThan(10_000);
    await database.close();
  });

  it('opens again on the same data', async () => {
    const first = await open('owner');
    await first.pool.query(
      'drop table if exists probe.first; create table probe.first as select 7 as n',
    );
    await first.close();
    const second = await open('owner');
    expect((await second.pool.query('select n from probe.first')).rows).toEqual([{ n: 7 }]);
    await second.close();
  });

  it('is taken over when its owner was killed, and blocks no later start', async () => {
    const owner = await openElsewhere('owner');
    const left = await running();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(await running()).toBe(left);
    const database = await open('owner');
    expect(await running()).toBe(left);
    await database.close();
    expect(await running()).toBeUndefined();
  });

  it.each(['exit', 'throw'])('ends with an owner that never closes it: %s', async (how) => {
    const owner = await openElsewhere('owner');
    owner.send(how);
    await once(owner, 'exit');
    await vi.waitFor(async () => expect(await running()).toBeUndefined(), soon);
  });

  it('ends with the last guest that never closes it, and not before', async () => {
    const [first, second] = [await openElsewhere('guest'), await openElsewhere('guest')];
    const server = await running();
    const other = await open('guest');
    first.send('throw');
    await once(first, 'exit');
    await expect(other.ping()).resolves.toBeUndefined();
    await other.close();
    expect(await running()).toBe(server);
    second.send('exit');
    await once(second, 'exit');
    await vi.waitFor(async () => expect(await running()).toBeUndefined(), soon);
  });

  it('serves a guest while its owner runs, and survives the guest', async () => {
    const owner = await open('owner');
    const guest = await open('guest');
    await guest.pool.query('select 1');
    await guest.close();
    await expect(owner.ping()).resolves.toBeUndefined();
    await owner.close();
  });

  it('is started and ended by a guest where nobody serves it', async () => {
    const guest = await open('guest');
    expect(await running()).toBeDefined();
    await guest.close();
    expect(await running()).toBeUndefined();
  });

  it('refuses a second owner in plain words', async () => {
    const owner = await open('owner');
    await expect(open('owner')).rejects.toThrow(`Another runlink serves from ${dataDir}.`);
    await owner.close();
  });

  it('comes back on the same port when its server dies, with what was committed', async () => {
    const database = await open('owner');
    await database.pool.query(
      'drop table if exists probe.kept; create table probe.kept as select 1 as n',
    );
    const pid = await running();
    process.kill(pid ?? 0, 'SIGKILL');
    await vi.waitFor(async () => {
      expect(await running()).not.toBe(pid);
      const { rows } = await database.pool.query('select n from probe.kept');
      expect(rows).toEqual([{ n: 1 }]);
    }, soon);
    await database.close();
  });

  it('lets nobody in without the password', async () => {
    const database = await open('owner');
    const url = new URL(database.url);
    expect((await readFile(join(dataDir, 'postgres/password'), 'utf8')).trim()).toBe(url.password);
    url.password = 'guessed';
    const stranger = new Client({ connectionString: url.href });
    await expect(stranger.connect()).rejects.toThrow('password authentication failed');
    await database.close();
  });
});

describe('data that the embedded database cannot use', () => {
  it('makes no new one where its files were removed while it ran, and can be ended', async () => {
    const gone = await mkdtemp(join(parent, 'gone-'));
    const error = vi.spyOn(silentLog, 'error');
    onTestFinished(() => error.mockRestore());
    const database = await openDatabase({
      location: { dataDir: gone, role: 'owner' },
      schema: 'probe',
      migrations: {},
      log: silentLog,
    });
    const server = await findRunningServer(gone);
    // The server goes on writing below it.
    await rm(gone, { recursive: true, maxRetries: 20 });
    process.kill(server?.pid ?? 0, 'SIGKILL');
    const told = { reason: expect.stringContaining('was removed while it was in use') };
    await vi.waitFor(
      () => expect(error).toHaveBeenCalledWith(told, expect.stringContaining('restarted')),
      soon,
    );
    await database.close();
    expect(existsSync(gone)).toBe(false);
  });

  it('refuses data of another major version of PostgreSQL, and says the way', async () => {
    const old = join(parent, 'old');
    await mkdir(join(old, 'postgres/data'), { recursive: true });
    await writeFile(join(old, 'postgres/data/PG_VERSION'), '16\n');
    const opening = openDatabase({
      location: { dataDir: old, role: 'guest' },
      schema: 'probe',
      migrations: {},
      log: silentLog,
    });
    await expect(opening).rejects.toMatchObject({
      message: expect.stringMatching(/was made by PostgreSQL 16; this release has PostgreSQL \d+/),
      hint: expect.stringContaining('runlink backup FILE'),
    });
  });
});

describe.runIf(process.getuid?.() === 0)(
  'the embedded database of a service that root runs',
  () => {
    const userOf = async (pid: number | undefined): Promise<number> =>
      (await stat(`/proc/${pid}`)).uid;

    it('runs under an id that nobody on this machine has, and goes on under it', async () => {
      const users = (await readFile('/etc/passwd', 'utf8'))
        .split('\n')
        .map((line) => Number(line.split(':')[2] ?? 0));
      const first = await open('owner');
      const user = await userOf(await running());
      expect(users).not.toContain(user);
      await first.close();
      const second = await open('owner');
      expect(await userOf(await running())).toBe(user);
      await second.close();
    });

    it('goes on with the files of whoever had them before, a user of the machine too', async () => {
      const nobody = 65_534;
      await (await open('owner')).close();
      const before = await stat(join(dataDir, 'postgres'));
      onTestFinished(() => giveTo(before, join(dataDir, 'postgres')));
      await giveTo({ uid: nobody, gid: nobody }, join(dataDir, 'postgres'));
      const database = await open('owner');
      expect(await userOf(await running())).toBe(nobody);
      await database.close();
    });
  },
);
