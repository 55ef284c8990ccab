import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../base/error.ts';
import { diskFree, diskUse } from './disk-use.ts';
import { packMirror } from './git/mirror.ts';
import { listRunFiles, REMOVED, type RunFile } from './lease/run-file.ts';
import type { WorkerContext } from './run/run-context.ts';
import { evictSnapshots, removeParts } from './snapshot/store.ts';
import { measureRun, removeRun } from './run/run-directories.ts';

interface Kept {
  dir: string;
  file: RunFile;
}

/**
 * Removes workspaces that were kept long enough. While everything together takes too much disk, it
 * also removes the longest unused ones, and last the mirrors, if no kept workspace uses them. Runs
 * that are being worked on stay.
 */
export async function keepHouse(
  worker: WorkerContext,
  isActive: (runId: string) => boolean,
): Promise<void> {
  const { runs, mirrors, keep, log } = worker;
  await removeWhere(worker, (name) => name.endsWith(REMOVED));
  const all = await listRunFiles(runs);
  const idle = all
    .filter(({ file }) => !file.lease && !isActive(file.run_id))
    .toSorted((a, b) => a.file.used_at.localeCompare(b.file.used_at));
  const oldest = new Date(Date.now() - keep.workspaceMs).toISOString();
  const gone = idle.filter(({ file }) => file.used_at < oldest);
  for (const { dir } of gone) await removeRun(worker, dir);
  const kept = idle.filter((each) => !gone.includes(each));
  const left = all.filter((each) => !gone.includes(each));
  let excess = await excessBytes(worker, left);
  excess -= await evict(worker, excess);
  for (const each of kept) {
    if (excess <= 0) return;
    excess -= await bytesOf(worker, each);
    await removeRun(worker, each.dir);
    log.info({ dir: each.dir }, 'workspace removed to free disk');
  }
  // All idle workspaces are gone at this point, so only runs under way could still use a mirror.
  if (excess > 0 && all.length === idle.length) await removeMirrors(mirrors, excess);
}

/** Removes snapshots first, because they can be made again. Returns how many bytes that freed. */
async function evict({ snapshots, keep }: WorkerContext, excess: number): Promise<number> {
  const before = await diskUse([snapshots]);
  const bytes = Math.min(keep.snapshotBytes, excess > 0 ? before - excess : Infinity);
  return before - (await evictSnapshots(snapshots, { bytes, unusedMs: keep.snapshotMs }));
}

/** How many bytes must go to stay within the limit and to leave enough free disk. */
async function excessBytes(worker: WorkerContext, all: readonly Kept[]): Promise<number> {
  const { runs, mirrors, snapshots, keep } = worker;
  const sizes = await Promise.all(all.map((each) => bytesOf(worker, each)));
  const used = sizes.reduce((sum, size) => sum + size, await diskUse([mirrors, snapshots]));
  return Math.max(used - keep.diskBytes, keep.freeBytes - (await diskFree(runs)));
}

/**
 * A workspace that nobody works in does not change, so its size at the end of the run still holds.
 */
async function bytesOf(worker: WorkerContext, { dir, file }: Kept): Promise<number> {
  const known = file.lease ? undefined : file.bytes;
  return known ?? (await measureRun(worker, dir, file.process_marker)) ?? 0;
}

async function removeMirrors(root: string, excess: number): Promise<void> {
  const names = await readdir(root).catch(() => []);
  const dated = await Promise.all(
    names.map(async (name) => ({
      dir: join(root, name),
      at: (await stat(join(root, name))).mtimeMs,
    })),
  );
  let left = excess;
  for (const { dir } of dated.toSorted((a, b) => a.at - b.at)) {
    if (left <= 0) return;
    left -= await diskUse([dir]);
    await removeMirror(dir);
  }
}

/** Packs mirrors that have become scattered. */
export async function packMirrors({ mirrors }: WorkerContext, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(mirrors))
    if (!name.endsWith(REMOVED)) await packMirror(join(mirrors, name), signal);
}

/** Deleted directly, because no agent ever writes into a mirror. */
async function removeMirror(dir: string): Promise<void> {
  const gone = `${dir}${REMOVED}`;
  await rename(dir, gone);
  await rm(gone, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Removes directories of runs that were never really begun, and of removals that were interrupted.
 */
export async function removeRemains(worker: WorkerContext): Promise<void> {
  await removeParts(worker.snapshots);
  const known = new Set((await listRunFiles(worker.runs)).map(({ dir }) => dir));
  await removeWhere(worker, (name) => !known.has(join(worker.runs, name)));
}

async function removeWhere(
  worker: WorkerContext,
  isGone: (name: string) => boolean,
): Promise<void> {
  const names = await readdir(worker.runs);
  for (const name of names.filter(isGone))
    await removeRun(worker, join(worker.runs, name)).catch((error: unknown) => {
      worker.log.warn({ dir: name, err: errorMessage(error) }, 'a workspace could not be removed');
    });
}
