import type { ServiceContext } from '../context.ts';
import { RUN_QUEUE } from '../runs/life/run-queue.ts';

/**
 * Starts the job queue's own clock anew for runs that work long: it would end an execution after a day,
 * whatever `limits.run_time` says.
 */
export async function keepLongRuns({ database }: Pick<ServiceContext, 'database'>): Promise<void> {
  await database.pool.query(
    `update runlink_jobs.job j set started_on = now()
     from runs r
     where r.state = 'INPROGRESS' and j.name = $1 and j.id = r.job_id and j.state = 'active'
       and j.started_on < now() - interval '1 hour'`,
    [RUN_QUEUE],
  );
}
