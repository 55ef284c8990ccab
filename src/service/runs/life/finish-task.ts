import { sql } from 'kysely';
import type { endpoints } from '../../../contract/endpoints.ts';
import type { FinishTaskRequest } from '../../../contract/finish-task.ts';
import { ProblemError } from '../../../contract/problem.ts';
import type { ServiceContext } from '../../context.ts';
import type { Call } from '../../http/call.ts';
import { queueJudges } from '../../scores/dispatch-judges.ts';
import type { Trx } from '../../tables.ts';
import { changeRuns } from './change-runs.ts';
import { lockRun, type LockedRun } from './lock-run.ts';
import { requireReportedRun } from '../reported-run.ts';
import { TRANSITIONS } from './state-machine.ts';
import { MOMENT } from '../log/append.ts';
import { transition } from './transition.ts';

/** POST /harness-support/finish-task: ends the run, once; a repeated call changes nothing. */
export async function finishTask(
  context: ServiceContext,
  call: Call<typeof endpoints.harness.finishTask>,
): Promise<void> {
  const { id } = await requireReportedRun(context.db, call);
  const said = TRANSITIONS[call.body.success ? 'succeed' : 'fail'].to;
  await changeRuns(context, async (trx) => {
    const run = await lockRun(trx, id);
    if (run?.execution_location !== 'LOCAL')
      throw new ProblemError('operation_not_supported', {
        title: 'A worker executes this run and reports how it ended.',
      });
    if (run.state === said) return;
    if (run.state !== 'QUEUED')
      throw new ProblemError('conflict', { title: `The run has already ended (${run.state}).` });
    await queueJudges(context, trx, await finish(trx, run, call.body));
  });
}

/**
 * Ends a run that its caller executes. No worker claimed it, so it passes through all states here.
 */
async function finish(
  trx: Trx,
  run: LockedRun,
  { success, summary }: FinishTaskRequest,
): Promise<LockedRun> {
  const attempt = run.attempt + 1;
  await transition(trx, run, 'claim', { set: { attempt } });
  await transition(trx, { ...run, state: 'PENDING' }, 'acknowledge', {
    set: { started_at: sql<Date>`queued_at` },
  });
  await transition(trx, { ...run, state: 'INPROGRESS' }, success ? 'succeed' : 'fail', {
    set: {
      ended_attempt: attempt,
      finished_at: MOMENT,
      status_message: JSON.stringify({ message: summary }),
    },
  });
  return { ...run, attempt };
}
