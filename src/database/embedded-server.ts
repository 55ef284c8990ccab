import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RunlinkError } from '../base/error.ts';
import { sleep } from '../base/time.ts';
import { findEmbeddedBinaries } from './embedded-binaries.ts';
import { findServerAccount, type ServerAccount } from './server-account.ts';

const SUPERUSER = 'runlink';
const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 20_000;
/** Children of a server that was killed may hold its memory for a moment. */
const RETRY_FOR_MS = 10_000;
const RETRY_EVERY_MS = 200;
const POLL_MS = 20;
const LOG_MAX_BYTES = 10 * 1024 * 1024;

/** A running embedded PostgreSQL. */
export interface EmbeddedServer {
  pid: number;
  port: number;
  url: string;
}

/** Where one embedded PostgreSQL keeps its things, under the data directory. */
interface Layout {
  home: string;
  cluster: string;
  password: string;
  log: string;
}

function layoutOf(dataDir: string): Layout {
  const home = join(dataDir, 'postgres');
  return {
    home,
    cluster: join(home, 'data'),
    password: join(home, 'password'),
    log: join(dataDir, 'postgres.log'),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether `pid` really is the server of this cluster and not a process that got its number later. */
async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  return cwd === (await realpath(cluster));
}

/** The server that runs on this data directory now, whoever started it; undefined when none does. */
export async function findRunningServer(dataDir: string): Promise<EmbeddedServer | undefined> {
  const { cluster, password } = layoutOf(dataDir);
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split(
    '\n',
  );
  const [pid, port, status] = [Number(lines[0]), Number(lines[3]), lines[7]?.trim()];
  if (!Number.isInteger(pid) || pid <= 0 || !(await servesCluster(pid, cluster))) return undefined;
  if (!port || status !== 'ready') return undefined;
  const secret = (await readFile(password, 'utf8')).trim();
  return { pid, port, url: `postgresql://${SUPERUSER}:${secret}@127.0.0.1:${port}/runlink` };
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

/**
 * Runs a PostgreSQL program inside `folder`. As root on Linux it runs as another user, who may not
 * be able to enter the folders above: `/proc/self/cwd` names the folder without walking the path.
 */
async function runInside(
  folder: string,
  program: string,
  args: readonly string[],
  account: ServerAccount,
  logFile: string,
): Promise<{ exited: Promise<number | null>; letGo: () => void }> {
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(program, args, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      ...account.ids,
    });
    const exited = new Promise<number | null>((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1));
      child.once('error', () => resolve(null));
    });
    return { exited, letGo: () => child.unref() };
  } finally {
    await log.close();
  }
}

async function failure(logFile: string, what: string): Promise<RunlinkError> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const last = log.trim().split('\n').slice(-6).join('\n');
  return new RunlinkError('embedded_database_failed', `The embedded PostgreSQL ${what}.\n${last}`, {
    hint: `See ${logFile}, or use --database-url with a PostgreSQL of your own.`,
  });
}

/** Makes a new cluster beside its place and moves it there, so that a crash leaves nothing half made. */
async function initialise(layout: Layout, initdb: string, account: ServerAccount): Promise<void> {
  const fresh = `${layout.home}.${randomBytes(6).toString('hex')}`;
  const cluster = join(fresh, 'data');
  const password = join(fresh, 'password');
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  for (const path of [fresh, cluster, password]) await account.own(path);
  const inside = account.inside(cluster);
  const initialising = await runInside(
    cluster,
    initdb,
    [
      `--pgdata=${inside}`,
      '--auth=scram-sha-256',
      `--username=${SUPERUSER}`,
      `--pwfile=${inside}/../password`,
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-instructions',
    ],
    account,
    layout.log,
  );
  if ((await initialising.exited) !== 0)
    throw await failure(layout.log, 'could not be initialised');
  await rename(fresh, layout.home).catch(async (error: NodeJS.ErrnoException) => {
    await rm(fresh, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

async function prepareFolder(dataDir: string, layout: Layout): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const log = await open(layout.log, 'a', 0o600);
  const { size } = await log.stat();
  await log.close();
  if (size > LOG_MAX_BYTES) await truncate(layout.log, 0);
}

/** Whether any server, also one that is just starting or ending, is on this cluster. */
async function isOccupied({ cluster }: Layout): Promise<boolean> {
  const pid = Number(
    (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
  );
  return pid > 0 && (await servesCluster(pid, cluster));
}

function flagsOf(options: StartOptions): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    password_encryption: 'scram-sha-256',
    log_min_messages: 'warning',
    jit: 'off',
    ...options.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Starts a server and waits for it, or for another process's that got there first. */
async function startServer(
  dataDir: string,
  layout: Layout,
  options: StartOptions,
): Promise<EmbeddedServer> {
  const account = await findServerAccount();
  const binaries = await findEmbeddedBinaries(account.isOther);
  if (!existsSync(join(layout.cluster, 'PG_VERSION')))
    await initialise(layout, binaries.initdb, account);
  const deadline = Date.now() + START_WITHIN_MS;
  const retryUntil = Date.now() + RETRY_FOR_MS;
  for (;;) {
    const port = options.port ?? (await freePort());
    const child = await runInside(
      layout.cluster,
      binaries.postgres,
      ['-D', account.inside(layout.cluster), '-p', String(port), ...flagsOf(options)],
      account,
      layout.log,
    );
    const server = await waitForServer(dataDir, child.exited, deadline);
    child.letGo();
    if (server) return server;
    if (Date.now() < deadline && (await waitWhileOccupied(layout, deadline))) continue;
    if (Date.now() > retryUntil) throw await failure(layout.log, 'did not start');
    await sleep(RETRY_EVERY_MS);
  }
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

/** Waits while a server that is not ready is in the way; false when none was. */
async function waitWhileOccupied(layout: Layout, deadline: number): Promise<boolean> {
  if (!(await isOccupied(layout))) return false;
  while (Date.now() < deadline && (await isOccupied(layout))) {
    if (await findRunningServer(join(layout.home, '..'))) break;
    await sleep(POLL_MS);
  }
  return true;
}

export interface StartOptions {
  /** Port to listen on; a free one where absent. */
  port?: number;
  /** PostgreSQL settings beside ours. */
  settings?: Record<string, string>;
}

/**
 * The server of a data directory: the one that runs already, also when it was left behind by a
 * process that was killed, or a new one. Listens on loopback only, with a random password kept in
 * the data directory. Safe to call from several processes at once.
 */
export async function ensureEmbeddedServer(
  dataDir: string,
  options: StartOptions = {},
): Promise<EmbeddedServer & { started: boolean }> {
  const layout = layoutOf(dataDir);
  await prepareFolder(dataDir, layout);
  const running = await findRunningServer(dataDir);
  if (running) return { ...running, started: false };
  return { ...(await startServer(dataDir, layout, options)), started: true };
}

/** Ends a server: fast shutdown, which disconnects everyone and loses nothing. */
export async function stopEmbeddedServer(pid: number): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + STOP_WITHIN_MS;
  while (isAlive(pid) && Date.now() < deadline) await sleep(10);
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
}
