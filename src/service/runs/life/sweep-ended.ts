import { sql } from 'kysely';
import { parseDurationMs } from '../../../base/time.ts';
import { TERMINAL_STATES } from '../../../contract/run.ts';
import type { ServiceContext } from '../../context.ts';

const BATCH = 200;

/**
 * Deletes runs that ended longer ago than the operator's retention, with everything that belongs to
 * them; returns how many. The contents of their artifacts are deleted by the next sweep of
 * contents; the statistics keep counting the runs.
 */
export async function sweepEndedRuns({
  db,
  config,
}: Pick<ServiceContext, 'db' | 'config'>): Promise<number> {
  const { retention } = config.limits;
  if (retention === undefined) return 0;
  const seconds = parseDurationMs(retention) / 1000;
  const old = db
    .selectFrom('runs')
    .where('finished_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .where('state', 'in', TERMINAL_STATES)
    .select('id')
    .orderBy('finished_at')
    .limit(BATCH)
    .forUpdate()
    .skipLocked();
  const { rows } = await sql<{ count: number }>`
    with deleted as (${db.deleteFrom('runs').where('id', 'in', old).returning('id')}),
      facts as (delete from run_facts where run_id in (select id from deleted))
    select count(*)::int as count from deleted`.execute(db);
  return rows[0]?.count ?? 0;
}
