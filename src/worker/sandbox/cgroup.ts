import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../base/time.ts';
import type { Limits } from './confinement.ts';

type Control = 'memory' | 'pids' | 'cpu';
const CONTROLS: readonly Control[] = ['memory', 'pids', 'cpu'];
const CPU_PERIOD_US = 100_000;

/** The control group of one program. */
export interface Cgroup {
  /** A process joins by writing itself into `cgroup.procs` of each of these directories. */
  directories: readonly string[];
  /** Whether the kernel killed a process because the memory limit was reached. */
  ranOutOfMemory(): Promise<boolean>;
  remove(): Promise<void>;
}

/** The control groups that this worker can make. */
export interface Cgroups {
  controls(name: Control): boolean;
  make(name: string, limits: Limits): Promise<Cgroup>;
}

interface Hierarchy {
  directory: string;
  version: 1 | 2;
  controls: readonly Control[];
}

/** Finds the control groups that the worker can use, by making one; undefined if there are none. */
export async function findCgroups(): Promise<Cgroups | undefined> {
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const found: Hierarchy[] = [];
  for (const hierarchy of readHierarchies(own))
    if (await isUsable(hierarchy)) found.push(hierarchy);
  if (found.length === 0) return undefined;
  return {
    controls: (name) => found.some(({ controls }) => controls.includes(name)),
    make: (name, limits) => makeCgroup(found, name, limits),
  };
}

/**
 * Parses `/proc/self/cgroup`: `<id>:<controllers>:<path>`; in version 2 the id is 0 and there are
 * no controllers.
 */
export function readHierarchies(text: string): Hierarchy[] {
  return text.split('\n').flatMap((line): Hierarchy[] => {
    const [id, names = '', path = ''] = line.split(':');
    if (id === '0')
      return [{ directory: join('/sys/fs/cgroup', path), version: 2, controls: CONTROLS }];
    const controls = CONTROLS.filter((control) => names.split(',').includes(control));
    if (controls.length === 0) return [];
    return [{ directory: join('/sys/fs/cgroup', names, path), version: 1, controls }];
  });
}

async function isUsable(hierarchy: Hierarchy): Promise<boolean> {
  const probe = join(hierarchy.directory, `runlink-probe-${process.pid}`);
  try {
    await mkdir(probe);
    const files = await readdir(probe);
    await rmdir(probe);
    return files.includes(hierarchy.version === 2 ? 'memory.max' : 'cgroup.procs');
  } catch {
    return false;
  }
}

/** The files and values that set these limits in one hierarchy. */
export function limitFiles(hierarchy: Hierarchy, limits: Limits): [file: string, value: string][] {
  const { memoryBytes, processes, cpus } = limits;
  const quota = cpus === undefined ? undefined : Math.round(cpus * CPU_PERIOD_US);
  const files: Record<Control, [string, string | number | undefined][]> =
    hierarchy.version === 2
      ? {
          memory: [['memory.max', memoryBytes]],
          pids: [['pids.max', processes]],
          cpu: [['cpu.max', quota === undefined ? undefined : `${quota} ${CPU_PERIOD_US}`]],
        }
      : {
          memory: [['memory.limit_in_bytes', memoryBytes]],
          pids: [['pids.max', processes]],
          cpu: [['cpu.cfs_quota_us', quota]],
        };
  return hierarchy.controls
    .flatMap((control) => files[control])
    .flatMap(([file, value]) => (value === undefined ? [] : [[file, String(value)]]));
}

async function makeCgroup(
  hierarchies: readonly Hierarchy[],
  name: string,
  limits: Limits,
): Promise<Cgroup> {
  const directories: string[] = [];
  for (const hierarchy of hierarchies) {
    const directory = join(hierarchy.directory, `runlink-${name}`);
    await mkdir(directory, { recursive: true });
    directories.push(directory);
    for (const [file, value] of limitFiles(hierarchy, limits))
      await writeFile(join(directory, file), value).catch(() => undefined);
  }
  return {
    directories,
    ranOutOfMemory: async () => (await Promise.all(directories.map(oomKills))).some(Boolean),
    remove: async () => {
      await Promise.all(directories.map(removeDirectory));
    },
  };
}

async function oomKills(directory: string): Promise<boolean> {
  const files = ['memory.events', 'memory.oom_control'].map((file) => join(directory, file));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.some((text) => /^oom_kill [1-9]/m.test(text));
}

/** Retries, because the kernel takes a moment to release the group after its last process ended. */
async function removeDirectory(directory: string): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const error = await rmdir(directory).then(
      () => undefined,
      (thrown: NodeJS.ErrnoException) => thrown,
    );
    if (error?.code !== 'EBUSY') return;
    await sleep(10);
  }
}
