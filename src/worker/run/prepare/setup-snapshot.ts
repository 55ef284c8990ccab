import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { cp, stat } from 'node:fs/promises';
import { basename, delimiter, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorMessage, RunlinkError } from '../../../base/error.ts';
import type { RunClone } from '../../git/clone.ts';
import {
  archiveOf,
  evictSnapshots,
  makeSnapshot,
  namesOf,
  objectsOf,
  removeSnapshot,
  touchSnapshot,
  type Description,
} from '../../snapshot/store.ts';
import { isSystem } from '../../sandbox/machine-view.ts';
import { doErrand, runErrand } from '../errand.ts';
import type { CloneWork } from '../result/collect-result.ts';
import { logStep, remember, type RunContext } from '../run-context.ts';
import { directoriesOf } from '../run-directories.ts';

/**
 * The result of a set-up depends on what is installed; installing or removing a program changes the
 * time of its directory.
 */
const LIBRARIES = ['/usr/lib', '/usr/local/lib', '/opt'];

/** Snapshots that could not be kept; runs do not try to make them again. */
const unfit = new Set<string>();

/**
 * Whether this run may reuse the set-up of earlier runs, and keep its own for later ones. Its
 * directories must be empty, and it must be the run's first execution.
 */
export function mayUseSnapshot({ lease, worker }: RunContext, fresh: boolean): boolean {
  const begins = lease.attempt === 1 && lease.resume === undefined;
  // A worker of one run usually has a directory that is removed with it.
  return fresh && begins && worker.sandbox.name !== 'direct' && !worker.options.once;
}

/** Whether there is any snapshot of this environment, even if it does not fit this run. */
export async function hasSnapshots(run: RunContext): Promise<boolean> {
  return (await namesOf(run.worker.snapshots, environmentName(run))).length > 0;
}

/**
 * Path of the snapshot for exactly the state that this run's set-up starts from; undefined if there
 * may be none. The name contains the commits that the run itself was given, so nobody sees what
 * they may not fetch.
 */
export async function snapshotOf(
  run: RunContext,
  clones: readonly RunClone[],
): Promise<string | undefined> {
  const { lease, worker, image } = run;
  const { environment } = lease;
  if (!environment || clones.some(({ pull, shared }) => pull !== undefined || shared))
    return undefined;
  const { sandbox, options } = worker;
  const content = [
    [sandbox.name, sandbox.user, image ?? (await machineState(options.environment['PATH'] ?? ''))],
    [environment.setup_commands, environment.variables ?? {}, environment.network ?? null],
    [options.network ?? null, options.readOnly ?? [], options.baseUrl],
    clones.map(({ owner, name, url, keepSha }) => [owner, name, url, keepSha]),
  ];
  const dir = join(worker.snapshots, `${environmentName(run)}-${hash(JSON.stringify(content))}`);
  return unfit.has(dir) ? undefined : dir;
}

async function machineState(path: string): Promise<unknown> {
  // Directories in a home are left out: runs do not see them, and some change whenever their owner
  // opens a shell.
  const places = [...path.split(delimiter).filter(isSystem), ...LIBRARIES];
  const found = places.map((place) => stat(place).catch(() => undefined));
  return [process.version, (await Promise.all(found)).map((each) => each?.mtimeMs)];
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const environmentName = ({ lease }: RunContext): string =>
  hash(lease.environment?.id ?? '').slice(0, 16);

/** Unpacks the files, and renames each clone's branch to this run's. */
const RESTORE = `set -e
tar -xpf "$1" --no-same-owner -C "$2"
shift 2
while [ $# -gt 0 ]; do
  [ "$2" = "$3" ] || git -C "$1" branch -M "$2" "$3"
  shift 3
done`;

/** Gives the run what set-up left in an earlier one; false if that failed. */
export async function restoreSnapshot(
  run: RunContext,
  dir: string,
  found: Description,
  clones: readonly RunClone[],
): Promise<boolean> {
  try {
    await logStep(run, 'snapshot', 'Set-up of an earlier run', () =>
      unpack(run, dir, found, clones),
    );
    return true;
  } catch (error) {
    run.stop.signal.throwIfAborted();
    run.log.warn({ err: errorMessage(error) }, 'a snapshot could not be used');
    await removeSnapshot(dir);
    return false;
  }
}

async function unpack(
  run: RunContext,
  dir: string,
  found: Description,
  clones: readonly RunClone[],
): Promise<void> {
  const archive = archiveOf(dir);
  const shown = { path: archive, at: archive, why: 'what set-up left' };
  const branches = clones.flatMap(({ name, workTree, branch }) => [
    workTree,
    found.clones[name]?.branch ?? '',
    branch,
  ]);
  await Promise.all([
    touchSnapshot(dir),
    ...clones.map(({ name, gitDir }) =>
      cp(objectsOf(dir, name), join(gitDir, 'objects/pack'), { recursive: true }),
    ),
    runErrand(run.worker, run.file.process_marker, {
      name: 'restore',
      command: ['/bin/sh', '-c', RESTORE, 'restore', archive, run.dir, ...branches],
      views: [{ readOnly: [shown], links: [] }],
      writable: directoriesOf(run.worker, run.dir),
      untouched: true,
      signal: run.stop.signal,
    }),
  ]);
  await remember(run, {
    clones: [...clones],
    setup_done: run.lease.attempt,
    setup_trees: Object.fromEntries(
      clones.map(({ name }) => [name, found.clones[name]?.tree ?? '']),
    ),
  });
}

/**
 * Keeps what set-up left for later runs, before an agent starts. If it cannot be kept, the log says
 * why.
 */
export async function keepSnapshot(
  run: RunContext,
  dir: string,
  works: readonly CloneWork[],
): Promise<void> {
  const { snapshots, keep } = run.worker;
  // If the set-up commands made a commit, the snapshot's name would not fit its content.
  if (works.some(({ clone, work }) => work.headSha !== clone.keepSha)) return;
  try {
    await makeSnapshot(dir, async (part) => {
      const size = await archive(run, archiveOf(part), works);
      for (const { clone } of works)
        await cp(join(clone.gitDir, 'objects/pack'), objectsOf(part, clone.name), {
          recursive: true,
        });
      const clones = works.map(({ clone, work }) => [
        clone.name,
        { tree: work.treeSha, branch: clone.branch },
      ]);
      return { size, clones: Object.fromEntries(clones) as Description['clones'] };
    });
    await evictSnapshots(snapshots, { bytes: keep.snapshotBytes, unusedMs: keep.snapshotMs });
  } catch (error) {
    run.stop.signal.throwIfAborted();
    unfit.add(dir);
    run.log.warn({ err: errorMessage(error) }, 'the set-up is not kept for later runs');
    if (error instanceof RunlinkError && error.code === 'snapshot_unfit')
      await run.events.emit([{ type: 'notice', level: 'info', text: error.message }]);
  }
}

/**
 * Archives the run's directories into one file. The archive is made inside the sandbox and received
 * as bytes.
 */
async function archive(
  run: RunContext,
  file: string,
  works: readonly CloneWork[],
): Promise<number> {
  const { worker, dir, stop } = run;
  // A branch's reflog contains the run's id.
  const logs = works.map(({ clone }) => `--exclude=${relative(dir, clone.workTree)}/.git/logs`);
  const names = directoriesOf(worker, dir).map((each) => basename(each));
  const options = ['--sparse', '--anchored', '--no-wildcards', ...logs];
  const errand = {
    name: 'snapshot',
    command: ['tar', '-cf', '-', ...options, '-C', dir, ...names],
    writable: directoriesOf(worker, dir),
    signal: stop.signal,
  };
  return await doErrand(worker, run.file.process_marker, errand, async (child, stderr) => {
    let size = 0;
    const limit = Math.min(worker.limits.snapshotBytes, worker.keep.snapshotBytes);
    const holdsSecret = run.secretFinder([run.lease.run_id]);
    const checked = async function* (bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > limit) throw unkept(`it is larger than ${limit} bytes`);
        if (holdsSecret(chunk))
          throw unkept('it wrote a variable, a key or the id of the run to its files');
        yield chunk;
      }
    };
    await pipeline(child.stdout, checked, createWriteStream(file, { flush: true }));
    const { code, summary } = await child.exited;
    if (code !== 0) throw new Error(stderr.explain(summary));
    return size;
  });
}

function unkept(why: string): RunlinkError {
  return new RunlinkError(
    'snapshot_unfit',
    `What the set-up commands left is not kept for later runs: ${why}.`,
  );
}
