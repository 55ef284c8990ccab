import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { findRunningServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';
import { openDatabase, type Database } from '../../src/database/open-database.ts';
import type { EmbeddedRole } from '../../src/database/open-embedded.ts';

let parent: string;
let dataDir: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'runlink-embedded-'));
  dataDir = join(parent, 'data');
});
afterEach(async () => {
  const server = await findRunningServer(dataDir);
  if (server) await stopEmbeddedServer(server.pid);
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const open = (role: EmbeddedRole): Promise<Database<unknown>> =>
  openDatabase({ location: { dataDir, role }, schema: 'probe', migrations: {}, log: silentLog });
const running = async (): Promise<number | undefined> => (await findRunningServer(dataDir))?.pid;

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

  it('opens again on the same data', async () => {
    const first = await open('owner');
    await first.pool.query('create table probe.first as select 7 as n');
    await first.close();
    const second = await open('owner');
    expect((await second.pool.query('select n from probe.first')).rows).toEqual([{ n: 7 }]);
    await second.close();
  });

  it('is taken over when its owner was killed, and blocks no later start', async () => {
    const script = new URL('owner-process.ts', import.meta.url);
    const owner = fork(script, [dataDir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(owner, 'message');
    const left = await running();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(await running()).toBe(left);
    const database = await open('owner');
    expect(await running()).toBe(left);
    await database.close();
    expect(await running()).toBeUndefined();
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
    await database.pool.query('create table probe.kept as select 1 as n');
    const pid = await running();
    process.kill(pid ?? 0, 'SIGKILL');
    await vi.waitFor(async () => {
      expect(await running()).not.toBe(pid);
      const { rows } = await database.pool.query('select n from probe.kept');
      expect(rows).toEqual([{ n: 1 }]);
    }, 20_000);
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
