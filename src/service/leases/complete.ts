import { sql } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import type { completeRequest, completeResponse } from '../../contract/lease.ts';
import type { StatusMessage } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { endRunKeys } from '../keys/run-keys.ts';
import { changeRuns } from '../runs/life/change-runs.ts';
import { lockRun, type LockedRun } from '../runs/life/lock-run.ts';
import { reopen } from '../runs/life/reopen.ts';
import { completeJob, touchJob } from '../runs/life/run-queue.ts';
import { ENDING } from '../runs/life/state-machine.ts';
import { MOMENT } from '../runs/log/append.ts';
import { transition } from '../runs/life/transition.ts';
import { queueJudges } from '../scores/dispatch-judges.ts';
import type { Trx } from '../tables.ts';
import { pendingSignals, settleFollowups } from './followups.ts';
import { changing, say } from './say.ts';
import { isStopping, leaseLost, requireLease, type HeldRun } from './held-run.ts';

type Body = z.output<typeof completeRequest>;
type Answer = z.output<typeof completeResponse>;

/** Most characters of it in the timeline; all of it is the run's status message. */
const REASON_MAX = 2000;

/** POST …/complete: ends an execution, once; a repeated call gets the same answer. */
export async function complete(
  context: ServiceContext,
  call: Call<typeof endpoints.worker.complete>,
): Promise<Answer> {
  if (await endPlainly(context, call)) return { ended: true, state: call.body.state, signals: [] };
  const { caller, params, request, body } = call;
  const held = await requireLease(context.db, caller, params.runId, request);
  return changeRuns(context, async (trx): Promise<Answer> => {
    const holds = await touchJob(context, trx, held.job);
    const run = await lockRun(trx, held.id);
    if (!run || run.attempt !== held.attempt) throw leaseLost();
    if (holds && run.state === 'INPROGRESS') return end(context, trx, run, held.job, body);
    if (isStopping({ ...held, ...run })) return stop(trx, run, body);
    if (run.ended_attempt !== run.attempt) throw leaseLost();
    return { ended: true, state: run.state, signals: [] };
  });
}

function statusOf(body: Body): StatusMessage {
  return {
    message: body.message,
    ...(body.error_code === undefined ? {} : { error_code: body.error_code }),
    ...(body.retryable === undefined ? {} : { retryable: body.retryable }),
  };
}

/** Why the run did not succeed, for its timeline. */
function reasonOf({ state, message }: Body): { payload?: { reason: string } } {
  if (state === 'SUCCEEDED' || state === 'CANCELLED') return {};
  return { payload: { reason: message.slice(0, REASON_MAX).toWellFormed() } };
}

function resumeOf({ session_id, branch, pull_request_url }: Body) {
  return { session_id, branch, pull_request_url };
}

/** What is stored for the next execution, including which worker has the workspace. */
function kept(body: Body) {
  return sql<string>`coalesce(resume, '{}'::jsonb) || ${JSON.stringify(resumeOf(body))}::jsonb
    || jsonb_strip_nulls(jsonb_build_object('worker_id', lease_worker))`;
}

/** If the agent could continue, the worker must handle unseen follow-ups before the run may end. */
function mayGoOn(body: Body): boolean {
  return body.state === 'SUCCEEDED' || body.state === 'BLOCKED';
}

async function end(
  context: ServiceContext,
  trx: Trx,
  run: LockedRun,
  job: HeldRun['job'],
  body: Body,
): Promise<Answer> {
  await settleFollowups(trx, run, body.last_signal);
  const signals = await pendingSignals(trx, run.id, body.last_signal);
  // An interrupt is done with, because its turn is over.
  const unseen = signals.filter((it) => it.type !== 'followup' || !it.interrupt);
  if (unseen.length > 0 && mayGoOn(body))
    return { ended: false, state: 'INPROGRESS', signals: unseen };
  await completeJob(context, trx, job);
  await endRunKeys(trx, run.id);
  await transition(trx, run, ENDING[body.state], {
    set: {
      ended_attempt: run.attempt,
      finished_at: MOMENT,
      status_message: JSON.stringify(statusOf(body)),
      resume: kept(body),
      ...(body.usage ? { usage: JSON.stringify(body.usage) } : {}),
    },
    ...reasonOf(body),
  });
  if (unseen.length > 0 && body.state !== 'CANCELLED')
    await reopen(context, trx, { ...run, state: body.state });
  else await queueJudges(context, trx, run);
  return { ended: true, state: body.state, signals: [] };
}

/** The worker of a cancelled run reports that it has stopped. */
async function stop(trx: Trx, run: LockedRun, body: Body): Promise<Answer> {
  await endRunKeys(trx, run.id);
  await trx
    .updateTable('runs')
    .set({
      ended_attempt: run.attempt,
      resume: kept(body),
    })
    .where('id', '=', run.id)
    .execute();
  return { ended: true, state: run.state, signals: [] };
}

/** The usual case: no follow-up, no cancel, and no scorers. */
async function endPlainly(
  context: ServiceContext,
  call: Call<typeof endpoints.worker.complete>,
): Promise<boolean> {
  const { body } = call;
  if (context.config.scorers.length > 0) return false;
  return say(context, call, {
    ...changing('INPROGRESS', ENDING[body.state], reasonOf(body).payload),
    ends: true,
    status: statusOf(body),
    resume: resumeOf(body),
    usage: body.usage,
  });
}
