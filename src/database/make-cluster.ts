import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SUPERUSER, type Layout } from './cluster.ts';
import { programFailure, runInside } from './run-program.ts';
import { accountForInitdb, giveAway, giveTo } from './server-account.ts';

/** Nobody needs that long; an older folder was left by a killed process. */
const ABANDONED_AFTER_MS = 10 * 60_000;

/**
 * Creates a new cluster beside its final place and then moves it there, so that a crash leaves
 * nothing half done.
 */
export async function makeCluster(layout: Layout, initdb: string): Promise<void> {
  await removeAbandoned(layout);
  const fresh = `${layout.home}.${randomBytes(6).toString('hex')}`;
  try {
    await fill(fresh, layout, initdb);
    await rename(fresh, layout.home);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster; its cluster is used.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

async function fill(fresh: string, layout: Layout, initdb: string): Promise<void> {
  const account = await accountForInitdb();
  const cluster = join(fresh, 'data');
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  const password = `${randomBytes(24).toString('base64url')}\n`;
  await writeFile(join(fresh, 'password'), password, { mode: 0o600 });
  await giveTo(account.ids, fresh);
  const inside = account.inside(cluster);
  const { exited } = await runInside(
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
  if ((await exited) !== 0) throw await programFailure(layout.log, 'could not be initialised');
  await giveAway(fresh);
}

async function removeAbandoned({ home }: Layout): Promise<void> {
  const parent = dirname(home);
  const others = (await readdir(parent)).filter((name) => /^postgres\.[0-9a-f]{12}$/.test(name));
  for (const path of others.map((name) => join(parent, name))) {
    const made = await stat(path).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { recursive: true, force: true });
  }
}
