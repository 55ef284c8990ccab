import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Real agent CLIs against a scripted model: on demand, as they are large and come from npm. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/agents/**/*.agent.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    reporters: ['default', './test/support/plain-count.ts'],
  },
});
