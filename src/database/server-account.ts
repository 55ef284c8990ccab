import { randomInt } from 'node:crypto';
import { lchown, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RunlinkError, errorMessage } from '../base/error.ts';

/** The user that a PostgreSQL program runs as; it refuses to run as root. */
export interface ServerAccount {
  /** Whether that is another user than ours. */
  isOther: boolean;
  ids: { uid?: number; gid?: number };
  /** The path by which its process reaches the folder that it was started in. */
  inside(folder: string): string;
}

interface Ids {
  uid: number;
  gid: number;
}

const OURSELVES: ServerAccount = { isOther: false, ids: {}, inside: (folder) => folder };

/**
 * User ids that no distribution or system manager assigns to a person or service (systemd's
 * UIDS-GIDS.md calls 60578–61183 unused). They also exist in a rootless container.
 */
const UNUSED_IDS = { from: 60_578, to: 61_184 };

/** If so, every PostgreSQL program needs another account. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/** The user to run a cluster's server as: ourselves, or for root the owner of the cluster. */
export async function accountOf(cluster: string): Promise<ServerAccount> {
  if (!isRoot()) return OURSELVES;
  const { uid, gid } = await stat(cluster);
  return other({ uid, gid });
}

/**
 * The user to create a new cluster as. `initdb` looks up its own user, so root uses an existing one
 * without running processes. `giveAway` then changes the owner of the cluster.
 */
export async function accountForInitdb(): Promise<ServerAccount> {
  if (!isRoot()) return OURSELVES;
  const [users, busy] = await Promise.all([listUsers(), usersAtWork()]);
  const idle = users.filter(({ uid }) => uid !== 0 && !busy.has(uid));
  const found = idle.find(({ name }) => name === 'nobody') ?? idle[0];
  if (found) return other(found);
  throw new RunlinkError(
    'no_database_account',
    'PostgreSQL does not run as root, and this machine has no other user to make its files.',
    {
      hint: 'Make one: "/usr/sbin/useradd --system postgres" (on Alpine "adduser -S -D -H postgres"); or start Runlink as an ordinary user, or use --database-url.',
    },
  );
}

/** As root, changes the owner of a new cluster to a user id that nothing else uses. */
export async function giveAway(home: string): Promise<void> {
  if (!isRoot()) return;
  const [users, busy] = await Promise.all([listUsers(), usersAtWork()]);
  const taken = new Set([...busy, ...users.map(({ uid }) => uid)]);
  let uid = randomInt(UNUSED_IDS.from, UNUSED_IDS.to);
  while (taken.has(uid)) uid = randomInt(UNUSED_IDS.from, UNUSED_IDS.to);
  await giveTo({ uid, gid: uid }, home);
}

/** Changes the owner of a folder and everything in it. */
export async function giveTo({ uid, gid }: Partial<Ids>, home: string): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  const inside = await readdir(home, { recursive: true });
  try {
    for (const path of ['', ...inside]) await lchown(join(home, path), uid, gid);
  } catch (cause) {
    throw new RunlinkError(
      'no_database_account',
      `PostgreSQL does not run as root, and this root may not give its files to another user: ${errorMessage(cause)}`,
      { hint: 'Start Runlink as an ordinary user, or use --database-url.', cause },
    );
  }
}

/** The machine's local users, from the password file. */
async function listUsers(): Promise<(Ids & { name: string })[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return /^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? '')
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : [];
  });
}

/** The ids of users with a running process; empty without /proc. */
async function usersAtWork(): Promise<Set<number>> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const users = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    }),
  );
  return new Set(users);
}

function other(ids: Ids): ServerAccount {
  return {
    isOther: true,
    ids,
    inside: (folder) => (process.platform === 'linux' ? '/proc/self/cwd' : folder),
  };
}
