import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    /** Most tests wait for processes and databases: more of them than cores keep two cores busy. */
    maxWorkers: 4,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/plain-count.ts'],
  },
});
