import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFree, diskUse } from './disk-use.ts';
import { listRunFiles, type RunFile } from './lease/run-file.ts';
import type { WorkerContext } from './run/run-context.ts';

interface Kept {
  dir: string;
  file: RunFile;
}

/**
 * Removes workspaces that were kept long enough, and while all together take too much disk, the
 * longest unused ones and then mirrors that no kept workspace borrows from. Runs under way stay.
 */
export async function keepHouse(
  { runs, mirrors, keep, log }: WorkerContext,
  isActive: (runId: string) => boolean,
): Promise<void> {
  const all = await listRunFiles(runs);
  const idle = all
    .filter(({ file }) => !file.lease && !isActive(file.run_id))
    .toSorted((a, b) => a.file.used_at.localeCompare(b.file.used_at));
  const oldest = new Date(Date.now() - keep.workspaceMs).toISOString();
  const kept: Kept[] = [];
  for (const each of idle) {
    if (each.file.used_at < oldest) await remove(each.dir);
    else kept.push(each);
  }
  let excess = await excessBytes([runs, mirrors], keep);
  for (const { dir } of kept) {
    if (excess <= 0) return;
    excess -= await diskUse([dir]);
    await remove(dir);
    log.info({ dir }, 'workspace removed to free disk');
  }
  // All idle workspaces are gone here: mirrors are only borrowed from by runs under way.
  if (excess > 0 && all.length === idle.length) await removeMirrors(mirrors, excess);
}

/** What has to go: beyond what may be kept, or so that the disk does not fill up. */
async function excessBytes(dirs: string[], keep: WorkerContext['keep']): Promise<number> {
  const [used, free] = await Promise.all([diskUse(dirs), diskFree(dirs[0] ?? '.')]);
  return Math.max(used - keep.diskBytes, keep.freeBytes - free);
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
    await remove(dir);
  }
}

/** Out of the way at once, so that a run that begins meanwhile does not meet a half-removed workspace. */
export async function remove(dir: string): Promise<void> {
  const gone = `${dir}.removed`;
  await rename(dir, gone);
  await rm(gone, { recursive: true, force: true, maxRetries: 3 });
}

/** Directories of runs that were never begun in earnest, or whose removal was interrupted. */
export async function removeRemains(runs: string): Promise<void> {
  const known = new Set((await listRunFiles(runs)).map(({ dir }) => dir));
  const dirs = (await readdir(runs)).map((name) => join(runs, name));
  for (const dir of dirs)
    if (!known.has(dir) || dir.endsWith('.removed'))
      await rm(dir, { recursive: true, force: true });
}
