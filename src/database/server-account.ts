import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { promisify } from 'node:util';
import { RunlinkError } from '../base/error.ts';

const run = promisify(execFile);
const NAME = 'postgres';

/** As whom the embedded PostgreSQL runs. */
export interface ServerAccount {
  /** True when it is not us: PostgreSQL refuses to run as root. */
  isOther: boolean;
  ids: { uid?: number; gid?: number };
  /** Gives a file or folder to it. */
  own(path: string): Promise<void>;
  /** How a process of it names the folder it was started in. */
  inside(folder: string): string;
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function createAccount(): Promise<{ uid: number; gid: number }> {
  try {
    await run('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      NAME,
    ]);
  } catch (cause) {
    if (!(await idsOf(NAME)))
      throw new RunlinkError(
        'no_database_account',
        `PostgreSQL does not run as root, and no user "${NAME}" could be made to run it.`,
        { hint: 'Start Runlink as an ordinary user, or use --database-url.', cause },
      );
  }
  const ids = await idsOf(NAME);
  if (!ids)
    throw new RunlinkError('no_database_account', `The user "${NAME}" cannot be looked up.`);
  return ids;
}

/** Ourselves, or the user `postgres`, made where missing, when we are root. */
export async function findServerAccount(): Promise<ServerAccount> {
  if (process.getuid?.() !== 0)
    return { isOther: false, ids: {}, own: async () => {}, inside: (folder) => folder };
  const ids = (await idsOf(NAME)) ?? (await createAccount());
  return {
    isOther: true,
    ids,
    own: (path) => chown(path, ids.uid, ids.gid),
    inside: (folder) => (process.platform === 'linux' ? '/proc/self/cwd' : folder),
  };
}
