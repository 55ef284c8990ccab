import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { diskUse } from '../disk-use.ts';

const description = z.object({
  /** Bytes of the archive. */
  size: z.int(),
  /** By name: each clone's tree after the set-up, and the branch it has in the archive. */
  clones: z.record(z.string(), z.object({ tree: z.string(), branch: z.string() })),
});
export type Description = z.infer<typeof description>;

const FILE = 'snapshot.json';
/** Suffix of a snapshot that is being made or removed. */
const PART = '.part';
export const archiveOf = (dir: string): string => join(dir, 'files.tar');
/** Directory of the objects that the worker's own repository of a clone needs. */
export const objectsOf = (dir: string, clone: string): string => join(dir, 'objects', clone);

/** Reads a complete snapshot; undefined if there is none of this name. */
export async function findSnapshot(dir: string): Promise<Description | undefined> {
  try {
    const found = description.parse(JSON.parse(await readFile(join(dir, FILE), 'utf8')));
    return (await stat(archiveOf(dir))).size === found.size ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Names of the snapshots that begin like this. */
export async function namesOf(root: string, beginning: string): Promise<string[]> {
  const all = await readdir(root).catch(() => []);
  return all.filter((name) => name.startsWith(beginning) && !name.endsWith(PART));
}

/**
 * Makes a snapshot under a temporary name and renames it when it is complete, so that a killed
 * worker leaves no half one.
 */
export async function makeSnapshot(
  dir: string,
  fill: (part: string) => Promise<Description>,
): Promise<void> {
  const part = `${dir}.${randomUUID().slice(0, 8)}${PART}`;
  try {
    await mkdir(part, { recursive: true, mode: 0o700 });
    await writeFile(join(part, FILE), JSON.stringify(await fill(part)), { flush: true });
    await rename(part, dir).catch(async (error: NodeJS.ErrnoException) => {
      // Another run made the same snapshot first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

export async function touchSnapshot(dir: string): Promise<void> {
  const now = new Date();
  await utimes(dir, now, now);
}

export async function removeSnapshot(dir: string): Promise<void> {
  const part = `${dir}.${randomUUID().slice(0, 8)}${PART}`;
  await rename(dir, part).catch(() => undefined);
  await rm(part, { recursive: true, force: true });
}

/** Removes what a killed worker left of unfinished snapshots. */
export async function removeParts(root: string): Promise<void> {
  const all = await readdir(root).catch(() => []);
  for (const name of all.filter((each) => each.endsWith(PART)))
    await rm(join(root, name), { recursive: true, force: true });
}

/**
 * Removes snapshots that were not used for `unusedMs`, then the longest unused ones until the rest
 * takes up no more than `bytes`. Returns how many bytes are left.
 */
export async function evictSnapshots(
  root: string,
  { bytes, unusedMs }: { bytes: number; unusedMs: number },
): Promise<number> {
  const found = await Promise.all(
    (await namesOf(root, '')).map(async (name) => {
      const dir = join(root, name);
      const used = (await stat(dir).catch(() => undefined))?.mtimeMs ?? 0;
      return { dir, used, size: await diskUse([dir]) };
    }),
  );
  let left = found.reduce((sum, { size }) => sum + size, 0);
  for (const { dir, used, size } of found.toSorted((a, b) => a.used - b.used)) {
    if (left <= bytes && used > Date.now() - unusedMs) continue;
    await removeSnapshot(dir);
    left -= size;
  }
  return left;
}
