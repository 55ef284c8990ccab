import { RunlinkError } from '../base/error.ts';

/** Jobs taken at one look: with one each, a queue looked at once a second would do one a second. */
export const JOBS_PER_LOOK = 100;

/**
 * Does every job of a batch, whatever becomes of the others, then fails the batch if one failed: it
 * comes again, and what is done already does nothing then.
 */
export async function eachJob<J>(
  jobs: readonly J[],
  work: (job: J) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const job of jobs) {
    try {
      await work(job);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new RunlinkError('jobs_failed', `${failures.length} of ${jobs.length} jobs failed.`, {
      cause: failures[0],
    });
}
