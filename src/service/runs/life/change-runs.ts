import type { Transaction } from 'kysely';
import type { RunState } from '../../../contract/run.ts';
import { retryConflicts } from '../../../database/failure.ts';
import type { ServiceContext } from '../../context.ts';
import { count } from '../../metrics/tally.ts';
import type { ServiceTables } from '../../tables.ts';

/** States that runs entered in transactions that are still open. */
const entered = new WeakMap<Transaction<ServiceTables>, RunState[]>();

/** A transaction that may change runs, tried again after a conflict; counts the changes once they are committed. */
export async function changeRuns<T>(
  { db, tally }: Pick<ServiceContext, 'db' | 'tally'>,
  work: (trx: Transaction<ServiceTables>) => Promise<T>,
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

/** Notes a change that the transaction makes. */
export function noteChange(trx: Transaction<ServiceTables>, to: RunState): void {
  entered.get(trx)?.push(to);
}
