import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findRunningServer, stopEmbeddedServer } from '../../src/database/embedded-server.ts';

/** Gives the test run a place for its embedded server, and ends that server if some test started it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'runlink-test-db-'));
  project.provide('databaseDir', directory);
  return async () => {
    const server = await findRunningServer(directory);
    if (server) await stopEmbeddedServer(server.pid);
    await rm(directory, { recursive: true, force: true });
  };
}
