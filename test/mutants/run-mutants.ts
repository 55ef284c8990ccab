import { apply } from './apply.ts';
import { copyTree } from './copy.ts';
import { nameOf, testFiles, type Mutant } from './mutant.ts';
import { runTests, type Verdict } from './run-tests.ts';

export interface Mutants {
  /** The tree that is copied; it is not changed itself. */
  root: string;
  /** Copies at work side by side. */
  jobs: number;
  signal: AbortSignal;
  say: (line: string) => void;
}

export interface Outcome {
  killed: number;
  /** What was not noticed, did not apply, or could not be tested, in words. */
  faults: string[];
}

/**
 * Takes each lock out of a copy of the tree, one at a time, and runs the tests that have to notice.
 * What they say counts only because they pass while every lock is in place: that is tried first.
 */
export async function runMutants(
  mutants: readonly Mutant[],
  { root, jobs, signal, say }: Mutants,
): Promise<Outcome> {
  const outcome: Outcome = { killed: 0, faults: [] };
  const waiting = [...mutants];
  const judge = (mutant: Mutant, fault: string | undefined, how = ''): void => {
    const done = outcome.killed + outcome.faults.length + 1;
    if (fault === undefined) outcome.killed += 1;
    else outcome.faults.push(`${nameOf(mutant)}: ${fault}`);
    say(`${done}/${mutants.length} ${nameOf(mutant)}: ${fault ?? `killed by "${how}"`}`);
  };
  const work = async (): Promise<void> => {
    await using copy = await copyTree(root);
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const untouched = await tryTests(copy.root, mutant, signal);
      if (untouched.kind !== 'passed') {
        judge(mutant, `its tests do not pass with the lock in place: ${describe(untouched)}`);
        continue;
      }
      const verdict = await withoutLock(copy.root, mutant, signal);
      if (verdict.kind === 'failed') judge(mutant, undefined, verdict.test);
      else judge(mutant, verdict.kind === 'passed' ? 'SURVIVED' : verdict.why);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, mutants.length) }, work));
  return outcome;
}

async function withoutLock(root: string, mutant: Mutant, signal: AbortSignal): Promise<Verdict> {
  try {
    const putBack = await apply(root, mutant);
    try {
      return await runTests(root, testFiles(mutant), mutant.only, signal);
    } finally {
      await putBack();
    }
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'broken', why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Verdicts of tests while every lock is in place: asked once for all mutants with the same tests.
 */
const untouched = new Map<string, Promise<Verdict>>();

function tryTests(root: string, mutant: Mutant, signal: AbortSignal): Promise<Verdict> {
  const files = testFiles(mutant);
  const key = JSON.stringify([files, mutant.only]);
  const verdict = untouched.get(key) ?? runTests(root, files, mutant.only, signal);
  untouched.set(key, verdict);
  return verdict;
}

function describe(verdict: Verdict): string {
  if (verdict.kind === 'passed') return 'they pass';
  return verdict.kind === 'failed' ? `"${verdict.test}" fails` : verdict.why;
}
