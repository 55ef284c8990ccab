import type { Selectable } from 'kysely';
import type { RunsTable, Trx } from '../../tables.ts';

/** The columns that decide what may happen to a run. */
const LIFE = [
  'id',
  'team_id',
  'state',
  'attempt',
  'ended_attempt',
  'reopened',
  'job_id',
  'job_retry',
  'lane',
  'lease_hash',
  'lease_worker',
  'last_signal',
  'cancel_signal',
  'log_position',
  'log_next_seq',
  'worker_host',
  'execution_location',
  'conversation_id',
  'started_at',
  'finished_at',
] as const satisfies (keyof RunsTable)[];

export type LockedRun = Pick<Selectable<RunsTable>, (typeof LIFE)[number]>;

/**
 * Reads a run's row and locks it until the transaction ends. If its job changes too, lock the job's
 * row first: the other order deadlocks (decisions.md D2).
 */
export async function lockRun(trx: Trx, runId: string): Promise<LockedRun | undefined> {
  return trx
    .selectFrom('runs')
    .where('id', '=', runId)
    .select([...LIFE])
    .forUpdate()
    .executeTakeFirst();
}
