import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/repository-files.ts';
import { MUTANTS } from './locks.ts';
import type { Mutant } from './mutant.ts';
import { runMutants } from './run-mutants.ts';

/** Their tests take a moment, and are the same. */
const QUICK = 'service/blobs/sign';

/** Its own vitest runs once for each lock that is taken out. */
const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

describe.runIf(isLong)('taking locks out', () => {
  it('is noticed by their tests; one that nobody misses, or that is not there, is said', async () => {
    const quick = MUTANTS.filter(({ tests }) => tests.includes(QUICK));
    const [first] = quick;
    if (!first) throw new Error(`no lock has ${QUICK}`);
    const find = 'export const SIGNED_URL_SECONDS = 900;';
    const odd: Mutant[] = [
      { ...first, name: 'nothing that matters', find, replace: find.replace('900', '901') },
      { ...first, name: 'what is not there', find: 'no such words' },
    ];
    const said: string[] = [];
    const outcome = await runMutants([...quick, ...odd], {
      root: ROOT,
      jobs: 1,
      signal: new AbortController().signal,
      say: (line) => said.push(line),
    });
    expect(quick.length).toBeGreaterThan(2);
    expect(outcome).toEqual({
      killed: quick.length,
      faults: [
        'S4 nothing that matters: SURVIVED',
        'S4 what is not there: its place is found 0 times in src/service/blobs/sign.ts, not once',
      ],
    });
    expect(said).toHaveLength(quick.length + 2);
  });
});
