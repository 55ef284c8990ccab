import { RunlinkError } from '../base/error.ts';

/** Jobs taken at one look: with one each, a queue looked at once a second would do one a second. */
export const JOBS_PER_LOOK = 100;

/**
 * Does every job of a batch at once, whatever becomes of the others and however long they take. If one fails,
 * the whole batch fails and comes again; jobs that are done already then do nothing.
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
