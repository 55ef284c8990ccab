import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, constants, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundlePrograms } from './programs.ts';

/**
 * Where Linux keeps files in memory: there a database is made in a tenth of the time that a disk
 * takes.
 */
const MEMORY = '/dev/shm';
/** More than the databases of a whole run ever take up together. */
const ENOUGH_BYTES = 4 * 1024 ** 3;
/** Kept from run to run: what our processes are compiled to. */
const COMPILED = resolve(import.meta.dirname, '../../node_modules/.cache/runlink');
const REAPER = resolve(import.meta.dirname, 'reaper.ts');

/** In memory where the machine gives us that much, else among the temporary files. */
async function placeForDatabase(): Promise<string> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * A folder of this run that other users may pass through: a database that root starts runs as one.
 */
async function makeFolder(parent: string, name: string): Promise<string> {
  const folder = await mkdtemp(join(parent, name));
  await chmod(folder, 0o711);
  return folder;
}

/**
 * Gives the test run a folder for all its temporary files and a place for its embedded server. Both
 * are cleared away when the run ends, and so is every process that has to do with them when it ends
 * before its time, by whatever signal: a process of its own sees to it.
 */
export default async function setup(
  project: Pick<TestProject, 'provide'>,
): Promise<() => Promise<void>> {
  const databaseDir = await makeFolder(await placeForDatabase(), 'runlink-test-db-');
  const temporary = await makeFolder(tmpdir(), 'runlink-test-');
  const reaper = spawn(process.execPath, [REAPER, databaseDir, temporary], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  process.env['TMPDIR'] = temporary;
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED;
  await bundlePrograms();
  project.provide('databaseDir', databaseDir);
  return async () => {
    reaper.stdin.end('done');
    await once(reaper, 'exit');
  };
}
