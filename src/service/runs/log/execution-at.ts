import type { Selectable } from 'kysely';
import type { Db, ExecutionsTable } from '../../tables.ts';

type Execution = Pick<Selectable<ExecutionsTable>, 'number' | 'started_at' | 'ended_at'>;

/** A run's first execution before it has a row (migration 0008). */
const NOT_BEGUN: Execution = { number: 1, started_at: null, ended_at: null };

/** Returns a function that tells which execution a position of the run's log belongs to. */
export async function executionsInLog(
  db: Db,
  runId: string,
): Promise<(position: number) => Execution> {
  const begun = await db
    .selectFrom('executions')
    .where('run_id', '=', runId)
    .select(['number', 'log_from', 'started_at', 'ended_at'])
    .orderBy('number', 'desc')
    .execute();
  return (position) => begun.find(({ log_from }) => log_from <= position) ?? NOT_BEGUN;
}
