import type { ServiceContext } from '../context.ts';
import { CLAIMED_ON, IS_HELD, IS_JOB, JOBS } from '../../database/job-statements.ts';

/**
 * Restarts pg-boss's own time limit for long runs; it would otherwise end an execution after a day,
 * whatever `limits.run_time` says.
 */
export async function keepLongRuns({ database }: Pick<ServiceContext, 'database'>): Promise<void> {
  await database.pool.query(
    `update ${JOBS} j set ${CLAIMED_ON.replace('j.', '')} = now()
     from runs r
     where r.state = 'INPROGRESS' and ${IS_JOB} and ${IS_HELD}
       and ${CLAIMED_ON} < now() - interval '1 hour'`,
  );
}
