import { RunlinkError } from '../base/error.ts';

/**
 * Jobs taken per look: a queue that is polled once a second would otherwise get through only one
 * job a second.
 */
export const JOBS_PER_LOOK = 100;

/**
 * Runs all jobs of a batch at the same time; no failure or delay of one stops another. If one
 * fails, the whole batch is retried, and jobs that are done already then do nothing.
 */
export async function eachJob<J>(
  jobs: readonly J[],
  work: (job: J) => Promise<void>,
): Promise<void> {
  const results = await Promise.allSettled(jobs.map((job) => work(job)));
  const failures = results.filter((result) => result.status === 'rejected');
  if (failures.length > 0)
    throw new RunlinkError('jobs_failed', `${failures.length} of ${jobs.length} jobs failed.`, {
      cause: failures[0]?.reason,
    });
}
