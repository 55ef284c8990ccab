import { mkdtemp, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { withService } from '../../src/cli/keys/keys.ts';
import { startServing, type Serving } from '../../src/cli/serve/start-serving.ts';
import { DEFAULT_OPERATOR_CONFIG } from '../../src/config/operator-config.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let directory: string;
let first: TestDatabase;
let second: TestDatabase;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runlink-keys-'));
  [first, second] = [await createTestDatabase(), await createTestDatabase()];
});
afterAll(async () => {
  await Promise.all([first.drop(), second.drop(), rm(directory, { recursive: true })]);
});

const serve = (url: string, dataDir: string): Promise<Serving> =>
  startServing({
    host: '127.0.0.1',
    port: 0,
    database: { url },
    dataDir,
    config: DEFAULT_OPERATOR_CONFIG,
    variables: {},
    log: createLog('test', { level: 'silent' }),
  });

async function serveOnce(url: string, dataDir: string): Promise<void> {
  await (await serve(url, dataDir)).close(0);
}

describe('the owner’s key', () => {
  const place = (): string => join(directory, 'one');
  const file = (): string => join(place(), 'owner.key');
  beforeAll(() => serveOnce(first.url, place()));

  it('is written once, for its owner alone to read, and works', async () => {
    const serving = await serve(first.url, place());
    const key = (await readFile(file(), 'utf8')).trim();
    const answer = await fetch(`${serving.apiBaseUrl}/agent/runs`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([answer.status, (await stat(file())).mode & 0o777]).toEqual([200, 0o600]);
    await serving.close(0);
    await serveOnce(first.url, place());
    expect((await readFile(file(), 'utf8')).trim()).toBe(key);
  });

  it('of another service is never overwritten: the start is refused and makes nobody', async () => {
    const before = await readFile(file(), 'utf8');
    await expect(serve(second.url, place())).rejects.toThrow(/belongs to another service/);
    expect(await readFile(file(), 'utf8')).toBe(before);
    expect(await readdir(place())).not.toContain('owner.key.new');
    const people = await withService({ data: '', databaseUrl: second.url }, (db) =>
      db.selectFrom('users').selectAll().execute(),
    );
    expect(people).toEqual([]);
  });

  it('is put in its place by the next start when a crash came before', async () => {
    const key = await readFile(file(), 'utf8');
    await rename(file(), `${file()}.new`);
    await serveOnce(first.url, place());
    expect(await readFile(file(), 'utf8')).toBe(key);
  });
});

describe('a command that works on a service’s data', () => {
  const nothing = async (): Promise<void> => undefined;

  it('refuses a directory without a service, and makes none', async () => {
    const typo = join(directory, 'typo');
    await expect(withService({ data: typo }, nothing)).rejects.toThrow(
      `There is no service in ${typo}.`,
    );
    await expect(stat(typo)).rejects.toThrow('ENOENT');
  });

  it('refuses a database without a service, and makes none', async () => {
    const empty = new URL(second.url);
    empty.pathname = '/postgres';
    await expect(withService({ data: '', databaseUrl: empty.href }, nothing)).rejects.toThrow(
      'There is no service in this database.',
    );
    const client = new Client({ connectionString: empty.href });
    await client.connect();
    const { rows } = await client.query("select 1 from pg_namespace where nspname = 'runlink'");
    await client.end();
    expect(rows).toEqual([]);
  });
});
