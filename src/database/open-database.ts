import { Kysely, PostgresDialect } from 'kysely';
import { Pool, TypeOverrides } from 'pg';
import type { PgBoss } from 'pg-boss';
import { closeInTurn } from '../base/close-in-turn.ts';
import { RunlinkError, errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import { hasCluster } from './cluster.ts';
import { openEmbedded, type Embedded, type EmbeddedRole } from './open-embedded.ts';
import { explainFailure } from './failure.ts';
import { createListener, type Listener } from './listener.ts';
import { refuseHalf, restoreOf } from './backup/hold.ts';
import { migrate, type Migrations } from './migrate.ts';
import { openQueue } from './open-queue.ts';

/** Also how long a request waits for a connection from the pool. */
const CONNECT_WITHIN_MS = 15_000;
const POOL_SIZE = 10;
const STATEMENT_WITHIN_MS = 30_000;
const STEADY_POOL_SIZE = 6;
/** Forces plans that are right for any table size: rows by their keys, one after another. */
const STEADY = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};
/** Type id of bigint. Our counters stay far below 2^53. */
const INT8 = 20;

/** A data directory for the embedded PostgreSQL, or the URL of your own server. */
export type DatabaseLocation = { dataDir: string; role: EmbeddedRole } | { url: string };

export interface DatabaseOptions {
  location: DatabaseLocation;
  /** The room's own schema; its job queue is in `<schema>_jobs`. */
  schema: string;
  migrations: Migrations;
  log: Log;
  poolSize?: number;
  /** PostgreSQL settings for every connection. */
  settings?: Record<string, string>;
  /** Migrate only up to this migration; for a database that is being restored. */
  upTo?: string;
  /** Opens a database whose restore is not finished, which is refused otherwise. */
  restoring?: boolean;
  /** Throws `no_service` if the schema does not exist, instead of creating it. */
  mustExist?: boolean;
}

/** A room's access to its tables. */
export interface Tables<T> {
  kysely: Kysely<T>;
  pool: Pool;
  listener: Listener;
  /** For other rooms in this process. It contains the password and must never be logged. */
  url: string;
  /** Rejects if the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Database<T> extends Tables<T> {
  /** For prepared statements that run all the time; they are planned once per connection. */
  steadyPool: Pool;
  queue: PgBoss;
}

const TIME_LIMITS = {
  query_timeout: STATEMENT_WITHIN_MS + CONNECT_WITHIN_MS,
  statement_timeout: STATEMENT_WITHIN_MS,
};

/** The URL of an existing database. An embedded one runs until it is closed. */
export async function openPlace(location: DatabaseLocation, log: Log): Promise<Embedded> {
  if ('url' in location) return { url: location.url, close: async () => {} };
  if (location.role === 'guest' && !hasCluster(location.dataDir)) throw noService(location);
  return openEmbedded(location, log);
}

/** Opens the database and brings the schema up to date. */
export async function openTables<T>(options: DatabaseOptions): Promise<Tables<T>> {
  const { location, log } = options;
  if (options.mustExist && 'dataDir' in location && !hasCluster(location.dataDir))
    throw noService(location);
  const embedded = 'url' in location ? undefined : await openEmbedded(location, log);
  const url = 'url' in location ? location.url : (embedded?.url ?? '');
  const pool = createPool(url, options, TIME_LIMITS);
  const kysely = new Kysely<T>({ dialect: new PostgresDialect({ pool }) });
  const listener = createListener({ connectionString: url, application_name: 'runlink' }, log);
  const close = async (): Promise<void> => {
    await closeInTurn(
      () => listener.close(),
      () => kysely.destroy(),
      () => embedded?.close(),
    );
  };
  try {
    await migrateSchema(url, options);
  } catch (error) {
    await close();
    throw explainFailure(error);
  }
  const ping = async (): Promise<void> => void (await pool.query('select 1'));
  return { kysely, pool, listener, url, ping, close };
}

/** Like `openTables`, with the room's job queue. */
export async function openDatabase<T>(options: DatabaseOptions): Promise<Database<T>> {
  const tables = await openTables<T>(options);
  try {
    const queue = await openQueue(tables.pool, `${options.schema}_jobs`, options.log);
    const steady = { ...options, poolSize: STEADY_POOL_SIZE, settings: STEADY };
    const steadyPool = createPool(tables.url, steady, TIME_LIMITS);
    return {
      ...tables,
      queue,
      steadyPool,
      close: () =>
        closeInTurn(
          () => queue.stop({ graceful: true, timeout: 5000 }),
          () => steadyPool.end(),
          () => tables.close(),
        ),
    };
  } catch (error) {
    await tables.close();
    throw explainFailure(error);
  }
}

function createPool(
  url: string,
  { schema, log, poolSize, settings }: DatabaseOptions,
  limits: Partial<typeof TIME_LIMITS>,
): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, Number);
  const pool = new Pool({
    connectionString: url,
    max: poolSize ?? POOL_SIZE,
    types,
    application_name: 'runlink',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    ...limits,
    options: Object.entries({ search_path: `${schema},public`, ...settings })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  });
  // If a connection breaks while it is in use, its query fails; that must not also end the process.
  pool.on('connect', (client) => void client.on('error', () => {}));
  pool.on('error', (error) => log.debug({ reason: errorMessage(error) }, 'idle connection lost'));
  return pool;
}

function noService(location: DatabaseLocation): RunlinkError {
  const place = 'url' in location ? 'this database' : location.dataDir;
  return new RunlinkError('no_service', `There is no service in ${place}.`, {
    hint: 'Check --data and --database-url: they must name what "runlink serve" or "runlink start" was started with.',
  });
}

async function hasSchema(pool: Pool, schema: string): Promise<boolean> {
  const { rowCount } = await pool.query('select 1 from pg_namespace where nspname = $1', [schema]);
  return rowCount === 1;
}

/** Migrates the schema without a time limit, because building a large index may take long. */
async function migrateSchema(url: string, options: DatabaseOptions): Promise<void> {
  const pool = createPool(url, { ...options, poolSize: 1 }, {});
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    if (options.mustExist && !(await hasSchema(pool, options.schema)))
      throw noService(options.location);
    const restored = options.restoring ? undefined : await restoreOf(pool);
    if (restored) refuseHalf(restored);
    await migrate(kysely, options.schema, options.migrations, options.upTo);
  } finally {
    await kysely.destroy();
  }
}
