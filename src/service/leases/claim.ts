import { randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import type { ClaimRequest, Lease } from '../../contract/lease.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { claimResponse } from '../../contract/lease.ts';
import { retryConflicts } from '../../database/failure.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { waitedAnswer } from '../http/conditional.ts';
import { createKey } from '../keys/create-key.ts';
import { runKeyText } from '../keys/key-text.ts';
import type { Principal } from '../keys/principal.ts';
import { lockRun, type LockedRun } from '../runs/life/lock-run.ts';
import { completeJob, laneOf, takeJob, type HeldJob } from '../runs/life/run-queue.ts';
import { transition } from '../runs/life/transition.ts';
import type { ServiceTables } from '../tables.ts';
import type { Topic } from '../waiting/changes.ts';
import { enterWait } from '../waiting/wait-slots.ts';
import { buildLease, type Claimed } from './build-lease.ts';
import { takeFollowups } from './followups.ts';
import { hashToken } from './token.ts';
import { noteWorker } from './note-worker.ts';

const TOKEN_BYTES = 24;
/** Jobs that lead to no run are settled and the next one taken, at most this often in one look. */
const STALE_JOBS_MAX = 20;

function checkHost(caller: Principal, body: ClaimRequest): void {
  if (caller.teamId !== null || body.worker_host === undefined) return;
  throw new ProblemError('not_authorized', {
    field: 'worker_host',
    detail: 'worker_host: a self-hosted worker needs a key of its team',
  });
}

/** The lanes this worker serves: its team's and host's, or every team's own pool. */
async function findWaitingLane(
  context: ServiceContext,
  ownLane: number | undefined,
): Promise<number | undefined> {
  if (ownLane !== undefined) return ownLane;
  const row = await context.db
    .selectFrom('runs as r')
    .innerJoin('lanes as l', 'l.id', 'r.lane')
    .where('r.state', '=', sql<'QUEUED'>`'QUEUED'`)
    .where('l.worker_host', '=', '')
    .orderBy('r.queued_at')
    .select('r.lane')
    .limit(1)
    .executeTakeFirst();
  return row?.lane ?? undefined;
}

async function hold(
  context: ServiceContext,
  trx: Transaction<ServiceTables>,
  run: LockedRun,
  job: HeldJob,
  workerId: string,
): Promise<Claimed> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const attempt = run.attempt + 1;
  await transition(trx, run, 'claim', {
    set: {
      attempt,
      job_retry: job.retryCount,
      lease_hash: hashToken(token),
      lease_worker: workerId,
      log_next_seq: 1,
      cancel_signal: null,
      claim_signal: run.last_signal,
    },
    payload: { worker_id: workerId },
  });
  await takeFollowups(trx, { ...run, attempt });
  await createKey(
    trx,
    { kind: 'run', name: `run ${run.id}`, team_id: run.team_id, run_id: run.id },
    runKeyText(context.secrets.runKey, run.id, attempt),
  );
  return { runId: run.id, attempt, token };
}

async function claimOnce(
  context: ServiceContext,
  lane: number,
  workerId: string,
): Promise<Claimed | 'stale' | undefined> {
  return retryConflicts(() =>
    context.db.transaction().execute(async (trx) => {
      const job = await takeJob(context, trx, lane);
      if (!job) return undefined;
      const run = await lockRun(trx, job.runId);
      if (run?.state === 'QUEUED' && run.job_id === job.id)
        return hold(context, trx, run, job, workerId);
      await completeJob(context, trx, job);
      return 'stale';
    }),
  );
}

async function claimNext(
  context: ServiceContext,
  ownLane: number | undefined,
  workerId: string,
): Promise<Claimed | undefined> {
  for (let look = 0; look < STALE_JOBS_MAX; look += 1) {
    const lane = await findWaitingLane(context, ownLane);
    if (lane === undefined) return undefined;
    const claimed = await claimOnce(context, lane, workerId);
    if (claimed === undefined && ownLane !== undefined) return undefined;
    if (claimed !== undefined && claimed !== 'stale') return claimed;
  }
  return undefined;
}

/** POST /worker/claim: takes the next run under a lease, waiting for one where asked. */
export async function claim(
  context: ServiceContext,
  { caller, body, waitSeconds, request }: Call<typeof endpoints.worker.claim>,
): Promise<Response> {
  checkHost(caller, body);
  await noteWorker(context.db, caller, body);
  const ownLane =
    caller.teamId === null
      ? undefined
      : await laneOf(context, caller.teamId, body.worker_host ?? '');
  const topics: Topic[] = [ownLane === undefined ? 'lane:any' : `lane:${ownLane}`];
  const look = (): Promise<Claimed | undefined> =>
    body.capacity > 0 ? claimNext(context, ownLane, body.worker_id) : Promise.resolve(undefined);
  const leave = waitSeconds === undefined ? undefined : enterWait(caller.keyId);
  try {
    const claimed = leave
      ? await context.changes.waitFor(
          topics,
          { seconds: waitSeconds ?? 0, signal: request.signal },
          look,
        )
      : await look();
    const lease: Lease | null = claimed ? await buildLease(context, claimed, caller) : null;
    const answer: z.input<typeof claimResponse> = { lease };
    return waitedAnswer(answer, leave ? waitSeconds : undefined);
  } finally {
    leave?.();
  }
}
