import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/test-run.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    /** Tests wait for processes and databases much of their time; vitest's own choice on two cores is one file at a time. */
    maxWorkers: 3,
    /** Files that run in one process share their modules: to load them anew for each costs a quarter of the whole run. */
    isolate: false,
    /** On a shared machine a process may start late: there a failed test is tried once more, and shown so. */
    retry: process.env['CI'] ? 1 : 0,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/plain-count.ts'],
  },
});
