import type { Updateable } from 'kysely';
import type { ServiceContext } from '../../context.ts';
import { teamOf } from '../../keys/spaces.ts';
import type { RunsTable, Trx } from '../../tables.ts';
import { findRunById } from '../find-run.ts';
import type { LockedRun } from './lock-run.ts';
import { enqueue, queuePlaceOf } from './run-queue.ts';
import { MOMENT } from '../log/append.ts';
import { transition } from './transition.ts';

/**
 * Starts a new execution of an ended run, in the caller's transaction, which has locked the run.
 */
export async function reopen(
  context: ServiceContext,
  trx: Trx,
  run: LockedRun,
  set: Pick<Updateable<RunsTable>, 'mode'> = {},
): Promise<void> {
  const { config } = await findRunById(trx, run.id);
  const { lane, track } = await queuePlaceOf(context, await teamOf(trx, run.team_id), config);
  const jobId = await enqueue(context, trx, run.id, track);
  await transition(trx, run, 'reopen', {
    set: {
      ...set,
      lane,
      job_id: jobId,
      job_retry: 0,
      reopened: run.reopened + 1,
      queued_at: MOMENT,
      finished_at: null,
      status_message: null,
    },
    announce: ['lane:any', `lane:${lane}`],
  });
}
