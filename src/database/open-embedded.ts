import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { RunlinkError, errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import { sleep } from '../base/time.ts';
import { atProcessEnd, interrupt } from './at-process-end.ts';
import { explainFailure } from './failure.ts';
import { findRunningServer, hasCluster, layoutOf } from './cluster.ts';
import { boundLog, ensureEmbeddedServer, stopEmbeddedServer } from './embedded-server.ts';

/**
 * The `owner` keeps the server running: it restarts the server if that dies, and stops it when
 * closing. There is one owner at a time. A `guest` uses the running server or starts one; the last
 * guest stops it, unless there is an owner.
 */
export type EmbeddedRole = 'owner' | 'guest';

export interface Embedded {
  url: string;
  close(): Promise<void>;
}

const DATABASE = 'runlink';
/** Name of the connection that every owner and guest keeps open for as long as it lives. */
const ADMIN = 'runlink-admin';
/** Lock that the owner holds for as long as it lives. */
const OWNER_LOCK = 7_238_011_406;
const CLOSING_LOCK = 7_238_011_408;
/** How long the lock of a killed owner may remain. */
const OWNER_WITHIN_MS = 2000;
const RESTORE_EVERY_MS = 500;
const BOUND_LOG_EVERY_MS = 3_600_000;

/** Opens the embedded PostgreSQL of a data directory as owner or guest. */
export async function openEmbedded(
  { dataDir, role }: { dataDir: string; role: EmbeddedRole },
  log: Log,
): Promise<Embedded> {
  const server = await ensureEmbeddedServer(dataDir);
  const admin = adminClient(server.url);
  const visit = guest(dataDir, server, admin);
  try {
    await admin.connect();
    await createDatabase(admin);
    if (role === 'guest') return visit;
    await own(admin, dataDir);
  } catch (error) {
    await visit.close();
    throw explainFailure(error);
  }
  visit.becomeOwner();
  return owner(dataDir, server, admin, log);
}

/** Stops the server of a data directory unless somebody uses it. */
export async function endUnusedServer(dataDir: string): Promise<void> {
  const server = await findRunningServer(dataDir);
  if (!server) return;
  const admin = adminClient(server.url);
  await admin.connect();
  await guest(dataDir, { ...server, started: false }, admin).close();
}

/**
 * Whether no other guest or owner is connected. Checked under a lock, so that exactly one is the
 * last.
 */
async function isLast(admin: Client): Promise<boolean> {
  await admin.query('select pg_advisory_lock($1)', [CLOSING_LOCK]);
  const { rowCount } = await admin.query(
    `select 1 from pg_stat_activity
     where application_name = $1 and pid <> pg_backend_pid() limit 1`,
    [ADMIN],
  );
  return rowCount === 0;
}

/** Starts a process that outlives this one and stops the server unless somebody uses it. */
function leaveToAnother(dataDir: string): void {
  const file = import.meta.url.endsWith('.ts') ? 'end-unused-server.ts' : 'end-unused-server.js';
  const script = fileURLToPath(new URL(file, import.meta.url));
  spawn(process.execPath, [script, dataDir], { detached: true, stdio: 'ignore' }).unref();
}

function guest(
  dataDir: string,
  server: { url: string; pid: number; started: boolean },
  admin: Client,
): Embedded & { becomeOwner: () => void } {
  const release = atProcessEnd(() => leaveToAnother(dataDir));
  return {
    url: server.url,
    becomeOwner: release,
    async close() {
      if (await isLast(admin).catch(() => server.started)) await stopEmbeddedServer(server.pid);
      await admin.end().catch(() => {});
      release();
    },
  };
}

function owner(
  dataDir: string,
  first: { url: string; pid: number; port: number },
  firstAdmin: Client,
  log: Log,
): Embedded {
  const state = { server: first, admin: firstAdmin, closed: false, restoring: Promise.resolve() };
  const release = atProcessEnd(() => interrupt(state.server.pid));
  const attach = (client: Client): void => {
    state.admin = client;
    client.once('end', () => {
      if (!state.closed) state.restoring = restore();
    });
  };
  async function restore(): Promise<void> {
    for (let done = false; !done && !state.closed;) {
      try {
        if (!hasCluster(dataDir)) throw dataGone(dataDir);
        const server = await ensureEmbeddedServer(dataDir, { port: state.server.port });
        state.server = server;
        const client = adminClient(server.url);
        await client.connect();
        await own(client, dataDir);
        attach(client);
        done = true;
        log.warn({ started: server.started }, 'the embedded database was gone and is back');
      } catch (error) {
        log.error({ reason: errorMessage(error) }, 'the embedded database cannot be restarted');
        await sleep(RESTORE_EVERY_MS);
      }
    }
  }
  attach(firstAdmin);
  const bounding = setInterval(
    () => void boundLog(layoutOf(dataDir).log).catch(() => undefined),
    BOUND_LOG_EVERY_MS,
  ).unref();
  return {
    url: first.url,
    async close() {
      state.closed = true;
      clearInterval(bounding);
      await state.restoring;
      await state.admin.end().catch(() => {});
      await stopEmbeddedServer(state.server.pid);
      release();
    },
  };
}

/**
 * Starting a new cluster in its place would be a different service: empty, with another password.
 */
function dataGone(dataDir: string): RunlinkError {
  return new RunlinkError(
    'data_gone',
    `The database in ${dataDir} was removed while it was in use. End Runlink, then use "runlink restore FILE" or start anew.`,
  );
}

function adminClient(url: string): Client {
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new Client({ connectionString: admin.href, application_name: ADMIN });
  client.on('error', () => {});
  return client;
}

async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
    DATABASE,
  ]);
  if (rowCount) return;
  await client.query(`create database ${DATABASE}`).catch((error: Error & { code?: string }) => {
    if (error.code !== '42P04' && error.code !== '23505') throw error;
  });
}

async function tryOwn(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    'select pg_try_advisory_lock($1) as held',
    [OWNER_LOCK],
  );
  return rows[0]?.held ?? false;
}

async function own(client: Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + OWNER_WITHIN_MS;
  while (!(await tryOwn(client))) {
    if (Date.now() > deadline)
      throw new RunlinkError('data_directory_in_use', `Another runlink serves from ${dataDir}.`, {
        hint: 'Stop it, or give this one another --data directory or a --database-url.',
      });
    await sleep(100);
  }
}
