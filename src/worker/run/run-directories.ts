import { randomUUID } from 'node:crypto';
import { chown, lstat, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diskUse, readDu } from '../disk-use.ts';
import { GIVEN, REMOVED } from '../lease/run-file.ts';
import type { Confinement, SeenPlace } from '../sandbox/confinement.ts';
import { runErrand } from './errand.ts';
import { seenAt, type RunContext, type WorkerContext } from './run-context.ts';

/**
 * The directories of a run that its agent may write. They are made here, empty, before the agent
 * starts. After that nothing outside a sandbox opens, lists, empties or deletes them or anything in
 * them; errands do that (threats.md S15).
 */
const WRITABLE = ['workspace', 'home', 'artifacts', 'tmp'] as const;

export const directoriesOf = ({ sandbox }: WorkerContext, dir: string): string[] =>
  WRITABLE.map((name) => join(sandbox.runDirectory ?? dir, name));

/** The same directories, as the run's own programs see them. */
export const placesOf = (run: RunContext): SeenPlace[] =>
  directoriesOf(run.worker, run.dir).map((path) => ({ path, at: seenAt(run, path) }));

/** Makes sure that each place is a directory, and prints those that hold a repository. */
const LOOK = `for tree; do
  [ -d "$tree" ] && [ ! -L "$tree" ] || { rm -rf -- "$tree"; mkdir -- "$tree"; }
  [ -d "$tree/.git" ] && [ ! -L "$tree/.git" ] && printf '%s\\n' "$tree"
done
true`;

/** Deletes links without following them; makes unreadable directories readable first. */
const EMPTY = `find "$@" -mindepth 1 -delete 2>/dev/null && exit
chmod -R u+rwX -- "$@" 2>/dev/null
exec find "$@" -mindepth 1 -delete`;

/**
 * Makes the directories that must exist before any program of the run starts, those of its clones
 * included. Returns which of these hold a repository from an earlier execution, and whether
 * everything is new.
 */
export async function makeDirectories(
  run: RunContext,
  trees: readonly string[],
): Promise<{ present: ReadonlySet<string>; fresh: boolean }> {
  const { user } = run.worker.sandbox;
  const made = await Promise.all(directoriesOf(run.worker, run.dir).map((dir) => isNew(dir, user)));
  if (made.every(Boolean)) {
    for (const tree of trees) await isNew(tree, user);
    return { present: new Set(), fresh: true };
  }
  const found = await runErrand(run.worker, run.file.process_marker, {
    name: 'look',
    command: ['/bin/sh', '-c', LOOK, 'look', ...trees],
    writable: directoriesOf(run.worker, run.dir),
    signal: run.stop.signal,
  });
  return { present: new Set(found.split('\n')), fresh: false };
}

/** Makes a directory for the user that programs run as; false if it exists already. */
async function isNew(dir: string, { uid, gid }: Confinement['user']): Promise<boolean> {
  try {
    await mkdir(dir, { mode: 0o700 });
    if (process.getuid?.() === 0) await chown(dir, uid, gid);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Bytes that a run takes up on disk; undefined if that cannot be measured. */
export async function measureRun(
  worker: WorkerContext,
  dir: string,
  marker: string,
): Promise<number | undefined> {
  const writable = await madeIn(worker, dir);
  const ours = await diskUse([join(dir, 'git'), join(dir, GIVEN)]);
  if (writable.length === 0) return ours;
  const said = await runErrand(worker, marker, {
    name: 'measure',
    command: ['/bin/sh', '-c', 'du -sk -- "$@" 2>/dev/null; true', 'measure', ...writable],
    writable,
  }).catch(() => undefined);
  return said === undefined ? undefined : ours + readDu(said);
}

/**
 * Removes a run's directory. It is renamed first, so that a run that begins meanwhile does not find
 * a half-removed workspace.
 */
export async function removeRun(worker: WorkerContext, dir: string): Promise<void> {
  const gone = dir.endsWith(REMOVED) ? dir : `${dir}.${randomUUID().slice(0, 8)}${REMOVED}`;
  if (gone !== dir) await rename(dir, gone);
  const writable = await madeIn(worker, gone);
  if (writable.length > 0)
    await runErrand(worker, randomUUID(), {
      name: 'empty',
      command: ['/bin/sh', '-c', EMPTY, 'empty', ...writable],
      writable,
    });
  // In a pod these are volumes, which cannot be removed.
  if (!worker.sandbox.runDirectory) for (const each of writable) await rmdir(each);
  // Only our own files are left.
  await rm(gone, { recursive: true, force: true, maxRetries: 3 });
}

/** Those of the directories that exist. An agent can write into one, but cannot replace it. */
async function madeIn(worker: WorkerContext, dir: string): Promise<string[]> {
  const all = directoriesOf(worker, dir);
  const found = await Promise.all(all.map((each) => lstat(each).catch(() => undefined)));
  return all.filter((_, index) => found[index]?.isDirectory());
}
