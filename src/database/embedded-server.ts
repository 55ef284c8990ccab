import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RunlinkError, errorMessage } from '../base/error.ts';
import { makeFolder } from '../base/make-folder.ts';
import { sleep } from '../base/time.ts';
import { interrupt } from './at-process-end.ts';
import {
  findRunningServer,
  hasCluster,
  isAlive,
  isOccupied,
  layoutOf,
  type EmbeddedServer,
  type Layout,
} from './cluster.ts';
import { findEmbeddedBinaries } from './embedded-binaries.ts';
import { makeCluster } from './make-cluster.ts';
import { programFailure, runInside } from './run-program.ts';
import { accountOf, isRoot } from './server-account.ts';

const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 20_000;
/** Children of a killed server may hold its memory for a moment. */
const RETRY_FOR_MS = 10_000;
const RETRY_EVERY_MS = 200;
const POLL_MS = 20;
const LOG_MAX_BYTES = 10 * 1024 * 1024;

export interface ServerOptions {
  /** Port to listen on; by default any free one. */
  port?: number;
  /** PostgreSQL settings, in addition to ours. */
  settings?: Record<string, string>;
}

/**
 * Returns the server of a data directory: the one that is already running, even if a killed process
 * left it behind, or a new one. It listens on loopback only, with a random password kept in the
 * data directory. Safe to call from several processes at once. A new server ends with this process
 * until it is ready; after that the caller must end it.
 */
export async function ensureEmbeddedServer(
  dataDir: string,
  options: ServerOptions = {},
): Promise<EmbeddedServer & { started: boolean }> {
  const layout = layoutOf(dataDir);
  await prepareFolder(dataDir, layout);
  const running = await findRunningServer(dataDir);
  if (running) return { ...running, started: false };
  return { ...(await startServer(dataDir, layout, options)), started: true };
}

/** Stops a server with a fast shutdown, which disconnects everybody and loses no data. */
export async function stopEmbeddedServer(pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  interrupt(pid);
  const deadline = Date.now() + STOP_WITHIN_MS;
  while (isAlive(pid) && Date.now() < deadline) await sleep(10);
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
}

async function prepareFolder(dataDir: string, layout: Layout): Promise<void> {
  await makeFolder(dataDir);
  try {
    await boundLog(layout.log);
  } catch (cause) {
    throw new RunlinkError(
      'data_directory_unusable',
      `${dataDir} cannot be used as data directory: ${errorMessage(cause)}`,
      { hint: 'Name a directory that you may write with --data.', cause },
    );
  }
}

/** Makes the server's log if there is none, and empties it if it has grown too large. */
export async function boundLog(file: string): Promise<void> {
  const log = await open(file, 'a', 0o600);
  try {
    if ((await log.stat()).size > LOG_MAX_BYTES) await log.truncate(0);
  } finally {
    await log.close();
  }
}

/** Starts a server and waits until it is ready, or until one that another process started is. */
async function startServer(
  dataDir: string,
  layout: Layout,
  options: ServerOptions,
): Promise<EmbeddedServer> {
  const { initdb, postgres, major } = await findEmbeddedBinaries(isRoot());
  if (hasCluster(dataDir)) await refuseOtherMajor(layout, major);
  else await makeCluster(layout, initdb);
  const account = await accountOf(layout.cluster);
  const deadline = Date.now() + START_WITHIN_MS;
  const retryUntil = Date.now() + RETRY_FOR_MS;
  for (;;) {
    const port = options.port ?? (await freePort());
    const program = await runInside(
      layout.cluster,
      postgres,
      ['-D', account.inside(layout.cluster), '-p', String(port), ...flagsOf(options)],
      account,
      layout.log,
    );
    const server = await waitForServer(dataDir, program.exited, deadline);
    if (!server) program.end();
    program.letGo();
    if (server) return server;
    if (Date.now() < deadline && (await waitWhileOccupied(dataDir, deadline))) continue;
    if (Date.now() > retryUntil) throw await programFailure(layout.log, 'did not start');
    await sleep(RETRY_EVERY_MS);
  }
}

/**
 * Throws `database_major` if the data was made by another major version, which PostgreSQL cannot
 * read.
 */
async function refuseOtherMajor({ home, cluster }: Layout, ours: string): Promise<void> {
  const theirs = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  if (theirs === ours) return;
  throw new RunlinkError(
    'database_major',
    `${home} was made by PostgreSQL ${theirs}; this release has PostgreSQL ${ours}.`,
    {
      hint: `With the release of Runlink that you had: "runlink backup FILE". Then move ${home} away, and with this one: "runlink restore FILE".`,
    },
  );
}

function flagsOf(options: ServerOptions): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    password_encryption: 'scram-sha-256',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    jit: 'off',
    ...options.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function waitForServer(
  dataDir: string,
  exited: Promise<unknown>,
  deadline: number,
): Promise<EmbeddedServer | undefined> {
  const child = { ended: false };
  void exited.then(() => (child.ended = true));
  while (Date.now() < deadline && !child.ended) {
    const server = await findRunningServer(dataDir);
    if (server) return server;
    await sleep(POLL_MS);
  }
  return findRunningServer(dataDir);
}

/**
 * Waits while a server that is not ready holds the data directory; returns false if there was none.
 */
async function waitWhileOccupied(dataDir: string, deadline: number): Promise<boolean> {
  if (!(await isOccupied(dataDir))) return false;
  while (Date.now() < deadline && (await isOccupied(dataDir))) {
    if (await findRunningServer(dataDir)) break;
    await sleep(POLL_MS);
  }
  return true;
}
