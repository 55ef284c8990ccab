import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, Pool } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { ensureEmbeddedServer } from '../../src/database/embedded-server.ts';
import { openServiceDatabase } from '../../src/service/create-service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the test run's embedded server lives, once somebody needs it. */
    databaseDir: string;
  }
}

/** Lost on a crash and faster for it: tests that kill a server start their own. */
const TEST_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
};
const TEMPLATE_LOCK = 7_238_011_407;

/** An empty database of the service's newest schema, dropped when the test file or test ends. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** The server under test: `DATABASE_URL`, or an embedded one shared by all test files. */
async function serverUrl(): Promise<string> {
  const own = process.env['DATABASE_URL'];
  if (own) return own;
  const server = await ensureEmbeddedServer(inject('databaseDir'), { settings: TEST_SETTINGS });
  return withDatabase(server.url, 'postgres');
}

const MIGRATIONS_DIR = resolve(import.meta.dirname, '../../src/service/migrations');

/** One template for each state of the migrations' text, so that none is ever stale. */
function templateName(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS_DIR).toSorted())
    hash.update(readFileSync(join(MIGRATIONS_DIR, file)));
  return `runlink_template_${hash.digest('hex').slice(0, 12)}`;
}

let admin: Pool | undefined;

/** This process's connections for making and dropping: new ones would cost 20 ms a database. */
function administrate(connectionString: string): Pool {
  if (admin) return admin;
  admin = new Pool({ connectionString, max: 4, allowExitOnIdle: true, idleTimeoutMillis: 0 });
  // It connects anew when it is asked the next time.
  admin.on('error', () => undefined);
  return admin;
}

const made = new Map<string, Promise<void>>();

/** Once for all processes, which wait for the one that makes it. */
async function makeTemplate(url: string, template: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await buildTemplate(client, url, template);
  } finally {
    await client.end();
  }
}

async function buildTemplate(client: Client, url: string, template: string): Promise<void> {
  const { rowCount } = await client.query(
    'select 1 from pg_database where datname = $1 and datistemplate',
    [template],
  );
  if (rowCount) return;
  await client.query(`drop database if exists ${template}`);
  await client.query(`create database ${template}`);
  const database = await openServiceDatabase({ url: withDatabase(url, template) }, silentLog);
  await database.close();
  await client.query(`alter database ${template} is_template true allow_connections false`);
  // One that still is connected would keep it from being cloned.
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    template,
  ]);
}

/**
 * A database of its own for a test, cloned from a template in a few milliseconds: as files, which
 * on a server without fsync takes two fifths of the processor time that writing it to the log
 * takes.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = await serverUrl();
  const template = templateName();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const making = made.get(template) ?? makeTemplate(url, template);
  made.set(template, making);
  await making.catch((error: unknown) => {
    made.delete(template);
    throw error;
  });
  await administrate(url).query(`create database ${name} template ${template} strategy file_copy`);
  return { url: withDatabase(url, name), drop: () => dropDatabase(url, name) };
}

/** A database without any schema, dropped when the running test has finished. */
export async function useEmptyDatabase(): Promise<string> {
  const url = await serverUrl();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administrate(url).query(`create database ${name}`);
  onTestFinished(() => dropDatabase(url, name));
  return withDatabase(url, name);
}

/**
 * Whoever said goodbye has a second to be gone: cut off, a client takes it for a failure that
 * nobody hears.
 */
async function dropDatabase(url: string, name: string): Promise<void> {
  const server = administrate(url);
  await server.query(`do $$ begin
    for _ in 1..100 loop
      exit when not exists (select from pg_stat_activity where datname = '${name}');
      perform pg_sleep(0.01), pg_stat_clear_snapshot();
    end loop;
  end $$`);
  await server.query(`drop database if exists ${name} with (force)`);
}

/** The same, dropped when the running test has finished. */
export async function useTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
}
