/**
 * `npm run test:mutants`: takes every lock of the list out of a copy of the code, one by one, and
 * shows that a test notices each. `--only S16` (a row, or words of a name) tries some, `--jobs 4`
 * more at a time.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/repository-files.ts';
import { MUTANTS } from './locks.ts';
import { nameOf } from './mutant.ts';
import { runMutants } from './run-mutants.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});
const wanted = MUTANTS.filter(
  (mutant) =>
    values.only.length === 0 ||
    values.only.some((only) => mutant.row === only || nameOf(mutant).includes(only)),
);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
try {
  const { killed, faults } = await runMutants(wanted, {
    root: ROOT,
    jobs: Math.max(1, Number(values.jobs) || 1),
    signal: stop.signal,
    say: (line) => process.stdout.write(`${line}\n`),
  });
  const summary = [...faults, `${killed} killed, ${faults.length} survived`];
  process.stdout.write(`\n${summary.join('\n')}\n`);
  if (killed === 0 || faults.length > 0) process.exitCode = 1;
} catch (error) {
  if (!stop.signal.aborted) throw error;
  process.exitCode = 130;
}
