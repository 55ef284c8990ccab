import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findRunningServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';

/** Where Linux keeps files in memory: there a database is made in a tenth of the time that a disk takes. */
const MEMORY = '/dev/shm';
/** More than the databases of a whole run ever take up together. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** In memory where the machine gives us that much, else among the temporary files. */
async function choosePlace(): Promise<string> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Gives the test run a place for its embedded server, and ends that server if some test started it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(await choosePlace(), 'runlink-test-db-'));
  project.provide('databaseDir', directory);
  return async () => {
    const server = await findRunningServer(directory);
    if (server) await stopEmbeddedServer(server.pid);
    await rm(directory, { recursive: true, force: true });
  };
}
