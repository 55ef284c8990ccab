import { appendFileSync, readFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Where a run leaves what passed for the one that tries again what failed (`tests.sh`): a line
 * each.
 */
const { PASSED_FILE } = process.env;

/** `passed`, and what passed in the run before this. */
function withEarlier(passed: number): number {
  if (PASSED_FILE === undefined) return passed;
  appendFileSync(PASSED_FILE, `${passed}\n`);
  const counts = readFileSync(PASSED_FILE, 'utf8').split('\n').map(Number);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Closes a run with one plain line, `N passed, N failed`, for whoever reads the log by machine. */
export default class PlainCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const failed = tests.filter((test) => test.result().state === 'failed').length + brokenModules;
    process.stdout.write(`\n${withEarlier(passed)} passed, ${failed} failed\n`);
  }
}
