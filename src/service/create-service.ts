import { join } from 'node:path';
import { sql } from 'kysely';
import type { Registry } from 'prom-client';
import { closeInTurn } from '../base/close-in-turn.ts';
import type { Log } from '../base/log.ts';
import { DEFAULT_OPERATOR_CONFIG, type OperatorConfig } from '../config/operator-config.ts';
import { isHeld, untilResumed } from '../database/backup/hold.ts';
import {
  openDatabase,
  openTables,
  type Database,
  type DatabaseLocation,
  type Tables,
} from '../database/open-database.ts';
import { openBlobStore } from './blobs/store.ts';
import type { ServiceContext } from './context.ts';
import { createGitAccess } from './git/git-access.ts';
import { createHandlers } from './handlers.ts';
import { mountEndpoints } from './http/mount.ts';
import { mountHealth } from './http/health.ts';
import { authenticate, createKeyFinder } from './keys/authenticate.ts';
import type { Principal } from './keys/principal.ts';
import { createTaker } from './leases/take-runs.ts';
import { createWordWriter } from './leases/write-words.ts';
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from './migrations/list.ts';
import { createRunInserter } from './runs/create/insert-run.ts';
import { createRunQueue } from './runs/life/run-queue.ts';
import { createScheduleQueue } from './schedules/schedule-queue.ts';
import { createJudgeQueue } from './scores/dispatch-judges.ts';
import { loadSecrets } from './secrets.ts';
import { startResources } from './start-resources.ts';
import { startSweeper } from './sweep/start-sweeper.ts';
import type { Db, ServiceTables } from './tables.ts';
import { createChanges } from './waiting/changes.ts';

export interface ServiceOptions {
  database: DatabaseLocation;
  /** Directory for contents, if the configuration names no other store. */
  dataDir: string;
  /**
   * The origin at which people and clients reach the service. A function, because with port 0 it is
   * known only later.
   */
  publicUrl: () => string;
  /** The process's environment, for the variables that the configuration names. */
  variables: Record<string, string | undefined>;
  log: Log;
  config?: OperatorConfig;
  /** Whether the database is being restored. */
  restoring?: boolean;
  /** After the start no lease is taken back for this long; default: the length of a lease. */
  graceMs?: number;
}

/** The service, ready to answer. */
export interface Service {
  /** Handles requests to `/api/v1/…`, `/health` and `/ready`. */
  fetch(request: Request): Promise<Response>;
  /** The same without a key, for a person who is signed in to this process. */
  fetchAs(request: Request, principal: Principal): Promise<Response>;
  /** For code in this process that builds on the service: keys, sessions, the App's database. */
  context: ServiceContext;
  /** Starts the background work; every node does it. */
  start(): Promise<void>;
  /**
   * Ends all waits and background work and closes the database. Requests must have ended before.
   */
  stop(): Promise<void>;
  /** Metrics of this node, for a scraper. */
  metrics(): Promise<Registry>;
  /** Ends all held requests at once, so that the process can drain. */
  endWaits(): void;
}

export const SERVICE_TABLES = { schema: SERVICE_SCHEMA, migrations: SERVICE_MIGRATIONS };

export function openServiceDatabase(
  location: DatabaseLocation,
  log: Log,
  restoring = false,
): Promise<Database<ServiceTables>> {
  return openDatabase<ServiceTables>({ ...SERVICE_TABLES, location, log, restoring });
}

/** Opens only the tables of an existing service, for the commands that make keys. */
export function openServiceTables(
  location: DatabaseLocation,
  log: Log,
): Promise<Tables<ServiceTables>> {
  return openTables<ServiceTables>({ ...SERVICE_TABLES, location, log, mustExist: true });
}

async function hasTrigrams(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select where to_regclass('run_texts_like') is not null`.execute(db);
  return rows.length > 0;
}

/** The credentials of the configured content store, if it needs any. */
export function storageCredentials(
  config: OperatorConfig,
  variables: ServiceOptions['variables'],
): { credentials?: { accessKeyId: string; secretAccessKey: string } } {
  if (config.storage.driver !== 's3') return {};
  const accessKeyId = variables[config.storage.access_key_id_variable];
  const secretAccessKey = variables[config.storage.secret_access_key_variable];
  return accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {};
}

async function createContext(
  options: ServiceOptions,
  database: Database<ServiceTables>,
): Promise<ServiceContext> {
  const { log, variables, dataDir, publicUrl, config = DEFAULT_OPERATOR_CONFIG } = options;
  const secrets = await loadSecrets(database.kysely);
  return {
    database,
    db: database.kysely,
    config,
    log,
    publicUrl,
    variables,
    secrets,
    changes: createChanges(database, log),
    tally: { changes: new Map(), expired: new Map() },
    blobs: await openBlobStore(config.storage, {
      defaultDirectory: join(dataDir, 'blobs'),
      ...storageCredentials(config, variables),
    }),
    git: createGitAccess(config.github, variables, log),
    findKey: createKeyFinder(database.steadyPool),
    goodKeys: new Map(),
    insertRun: createRunInserter(database),
    takeRun: createTaker(database, secrets.runKey),
    writeWord: createWordWriter(database),
    notedWorkers: new Map(),
    lanes: new Map(),
    trigrams: await hasTrigrams(database.kysely),
    knownWords: new Set(),
    held: { now: await isHeld(database.pool) },
  };
}

/** Waits until the operator resumes the service after a restore, then ends the hold. */
async function release(
  { held, database, changes, log }: ServiceContext,
  signal: AbortSignal,
): Promise<void> {
  log.warn(
    'restored: workers get no runs and schedules do not fire until "runlink restore --resume"',
  );
  await untilResumed(database.pool, signal).catch(() => undefined);
  if (signal.aborted) return;
  held.now = false;
  changes.spread(['lane:any']);
  log.warn('resumed after the restore');
}

/** Opens the database and builds the service; it does not listen yet. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { restoring } = options;
  const database = await openServiceDatabase(options.database, options.log, restoring);
  try {
    return await assemble(options, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function assemble(
  options: ServiceOptions,
  database: Database<ServiceTables>,
): Promise<Service> {
  const context = await createContext(options, database);
  await createRunQueue(context);
  await createScheduleQueue(context);
  await createJudgeQueue(context);
  const app = mountEndpoints({
    handlers: createHandlers(context),
    authenticate: (rawKey, options) => authenticate(context, rawKey, options),
    log: context.log,
  });
  mountHealth(app, context);
  let stopDuties = async (): Promise<void> => {};
  return {
    fetch: async (request) => app.fetch(request, {}),
    fetchAs: async (request, principal) => app.fetch(request, { principal }),
    context,
    async start() {
      const sweeper = startSweeper(
        context,
        options.graceMs === undefined ? {} : { graceMs: options.graceMs },
      );
      const resources = await startResources(context);
      const closing = new AbortController();
      if (context.held.now) void release(context, closing.signal);
      stopDuties = async () => {
        closing.abort();
        await resources.stop();
        await sweeper.stop();
      };
    },
    async metrics() {
      const { createServiceMetrics } = await import('./metrics/metrics.ts');
      return createServiceMetrics({
        pools: { main: database.pool, steady: database.steadyPool },
        environments: context.config.environments,
        tally: context.tally,
        heldRequests: () => context.changes.waiting,
      });
    },
    endWaits: () => context.changes.close(),
    async stop() {
      context.changes.close();
      await closeInTurn(
        () => stopDuties(),
        () => database.close(),
      );
    },
  };
}
