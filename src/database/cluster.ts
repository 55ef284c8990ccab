import { existsSync } from 'node:fs';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Name of the superuser; the password is kept beside the cluster. */
export const SUPERUSER = 'runlink';

/** A running embedded PostgreSQL. */
export interface EmbeddedServer {
  pid: number;
  port: number;
  url: string;
}

/** Paths of an embedded PostgreSQL, in the data directory. */
export interface Layout {
  home: string;
  cluster: string;
  password: string;
  log: string;
}

export function layoutOf(dataDir: string): Layout {
  const home = join(dataDir, 'postgres');
  return {
    home,
    cluster: join(home, 'data'),
    password: join(home, 'password'),
    log: join(dataDir, 'postgres.log'),
  };
}

/** Whether this data directory holds a PostgreSQL cluster. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(join(layoutOf(dataDir).cluster, 'PG_VERSION'));
}

/**
 * The server that is running on this data directory, whoever started it; undefined if there is
 * none.
 */
export async function findRunningServer(dataDir: string): Promise<EmbeddedServer | undefined> {
  const { cluster, password } = layoutOf(dataDir);
  const lines = await pidFile(cluster);
  const [pid, port, status] = [Number(lines[0]), Number(lines[3]), lines[7]?.trim()];
  if (!(await servesCluster(pid, cluster)) || !port || status !== 'ready') return undefined;
  const secret = (await readFile(password, 'utf8')).trim();
  return { pid, port, url: `postgresql://${SUPERUSER}:${secret}@127.0.0.1:${port}/runlink` };
}

/** Whether a server holds this data directory, even if it is only starting or stopping. */
export async function isOccupied(dataDir: string): Promise<boolean> {
  const { cluster } = layoutOf(dataDir);
  return servesCluster(Number((await pidFile(cluster))[0]), cluster);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The lines of postmaster.pid, which a server keeps while it runs (PostgreSQL's miscadmin.h lists
 * them).
 */
async function pidFile(cluster: string): Promise<string[]> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return text.split('\n');
}

/** Whether `pid` is the server of this cluster, and not a later process with the same pid. */
async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  return cwd === (await realpath(cluster));
}
