import type { RunState } from '../../../contract/run.ts';
import { retryConflicts } from '../../../database/failure.ts';
import type { ServiceContext } from '../../context.ts';
import { count } from '../../metrics/tally.ts';
import type { Trx } from '../../tables.ts';

/** The states that runs entered in each open transaction. */
const entered = new WeakMap<Trx, RunState[]>();

/**
 * Runs a transaction that may change runs and retries it after a conflict. Counts the changes once
 * they are committed.
 */
export async function changeRuns<T>(
  { db, tally }: Pick<ServiceContext, 'db' | 'tally'>,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  const states: RunState[] = [];
  const result = await retryConflicts(() =>
    db.transaction().execute((trx) => {
      states.length = 0;
      entered.set(trx, states);
      return work(trx);
    }),
  );
  for (const state of states) count(tally.changes, state);
  return result;
}

/** Records a state change for counting. */
export function noteChange(trx: Trx, to: RunState): void {
  entered.get(trx)?.push(to);
}
