import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { cleanEnvironment } from '../support/clean-environment.ts';

const report = z.object({
  numFailedTests: z.int(),
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** `failed` names the first test that did; `broken` says why none could be run. */
export type Verdict =
  | { kind: 'passed' }
  | { kind: 'failed'; test: string }
  | { kind: 'broken'; why: string };

/** A test that hangs without its lock has failed, too. */
const TEST_WITHIN_MS = 60_000;

/** Runs test files of the tree below `root`, until the first failure. */
export async function runTests(
  root: string,
  files: readonly string[],
  only: string | undefined,
  signal: AbortSignal,
): Promise<Verdict> {
  signal.throwIfAborted();
  const output = join(root, 'verdict.json');
  await rm(output, { force: true });
  const options = [
    '--config=test/vitest.config.ts',
    '--bail=1',
    '--retry=0',
    `--testTimeout=${TEST_WITHIN_MS}`,
    '--reporter=json',
    `--outputFile=${output}`,
    ...(only === undefined ? [] : ['--testNamePattern', only.replaceAll(/[^\w\s]/g, '.')]),
  ];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // A process group of its own, so that all of it can be ended.
  const child = spawn(process.execPath, [vitest, 'run', ...options, ...files], {
    cwd: root,
    // Each mutant is a state of the source that is never seen again.
    env: { ...cleanEnvironment(), RUNLINK_TEST_PROGRAMS: '' },
    stdio: 'ignore',
    detached: true,
  });
  const end = (): void => void (child.pid && process.kill(-child.pid, 'SIGTERM'));
  signal.addEventListener('abort', end, { once: true });
  await once(child, 'exit');
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  return readVerdict(await readFile(output, 'utf8').catch(() => ''));
}

function readVerdict(json: string): Verdict {
  if (json === '') return { kind: 'broken', why: 'vitest said nothing' };
  const { numFailedTests, numPassedTests, testResults } = report.parse(JSON.parse(json));
  if (numFailedTests > 0) {
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    return { kind: 'failed', test: all.find(({ status }) => status === 'failed')?.fullName ?? '' };
  }
  const broken = testResults.find(({ status }) => status === 'failed');
  if (broken) return { kind: 'broken', why: broken.message.split('\n', 1)[0] ?? '' };
  return numPassedTests > 0 ? { kind: 'passed' } : { kind: 'broken', why: 'no test was run' };
}
