/** One lock of our code taken out: a small change of one file that some test has to notice. */
export interface Mutant {
  /** Number of the threat whose lock it is, such as `S16`. */
  row: string;
  /** What is possible without the lock. */
  name: string;
  /** Below the root of the repository. */
  file: string;
  /** Occurs in the file exactly once. */
  find: string;
  replace: string;
  /** Test files that have to fail, below `test/` and without their ending. */
  tests: readonly string[];
  /** Part of the titles of the tests that are run, where the whole file would take long. */
  only?: string;
}

export const nameOf = ({ row, name }: Mutant): string => `${row} ${name}`;
export const testFiles = ({ tests }: Mutant): string[] =>
  tests.map((test) => `test/${test}.test.ts`);
