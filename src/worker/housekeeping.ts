import { execFile } from 'node:child_process';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listRunFiles, type RunFile } from './lease/run-file.ts';
import type { WorkerContext } from './run-context.ts';

const run = promisify(execFile);
const KIB = 1024;
const DU_TIMEOUT_MS = 60_000;

/** Bytes that these directories take up on disk; 0 where that cannot be told. */
export async function diskUse(dirs: readonly string[]): Promise<number> {
  if (dirs.length === 0) return 0;
  const { stdout } = await run('du', ['-sk', '--', ...dirs], { timeout: DU_TIMEOUT_MS }).catch(
    // du names what it could not read and counts the rest.
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  const sizes = [...stdout.matchAll(/^(\d+)\t/gm)].map(([, size]) => Number(size));
  return sizes.reduce((sum, size) => sum + size, 0) * KIB;
}

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
  let used = await diskUse([runs, mirrors]);
  for (const { dir } of kept.splice(0, kept.length)) {
    if (used <= keep.diskBytes) return;
    used -= await diskUse([dir]);
    await remove(dir);
    log.info({ dir }, 'workspace removed to free disk');
  }
  // All idle workspaces are gone here: mirrors are only borrowed from by runs under way.
  if (used > keep.diskBytes && all.length === idle.length) await removeMirrors(mirrors, keep, used);
}

async function removeMirrors(
  root: string,
  keep: WorkerContext['keep'],
  used: number,
): Promise<void> {
  const names = await readdir(root).catch(() => []);
  const dated = await Promise.all(
    names.map(async (name) => ({
      dir: join(root, name),
      at: (await stat(join(root, name))).mtimeMs,
    })),
  );
  let left = used;
  for (const { dir } of dated.toSorted((a, b) => a.at - b.at)) {
    if (left <= keep.diskBytes) return;
    left -= await diskUse([dir]);
    await remove(dir);
  }
}

/** Out of the way at once, so that a run that begins meanwhile does not meet a half-removed workspace. */
async function remove(dir: string): Promise<void> {
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
