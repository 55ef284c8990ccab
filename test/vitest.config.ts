import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..');
/** With shuffled files and tests, which shows that none leans on another. */
const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
/** Here tests wait for processes: begun first, they leave nobody to wait for at the end. */
const SLOW = ['test/e2e/', 'test/faults/', 'test/pages/', 'test/worker/', 'test/app/'];

/**
 * Slow folders first; within each, as vitest does it: what took longest the last time, else large
 * files.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = SLOW.findIndex((folder) => relative(ROOT, moduleId).startsWith(folder));
      return place < 0 ? SLOW.length : place;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- it is vitest's, and of no array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    root: ROOT,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/test-run.ts'],
    setupFiles: ['test/support/lead-to-bundle.ts'],
    // A run in a container takes ten times as long to begin, and more beside other work.
    testTimeout: LONG || process.env['RUNLINK_TEST_SANDBOX'] !== undefined ? 600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    /**
     * Tests wait for processes and databases much of their time; vitest's own choice on two cores
     * is one file at a time.
     */
    maxWorkers: 4,
    /**
     * As a service is started: with less memory to map anew, each git and sandbox that tests start
     * is cheaper.
     */
    execArgv: ['--max-semi-space-size=8', '--heap-growing-percent=50'],
    /**
     * Files that run in one process share their modules: to load them anew for each costs a quarter
     * of the whole run.
     */
    isolate: false,
    /**
     * Node itself loads the files, as it does in use, and keeps them compiled: a tenth less
     * processor time.
     */
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: LONG ? { shuffle: { files: true, tests: true } } : { sequencer: SlowFirst },
    /**
     * On a shared machine a process may start late: there a failed test is tried once more, and
     * shown so.
     */
    retry: process.env['CI'] ? 1 : 0,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/support/plain-count.ts'],
  },
});
