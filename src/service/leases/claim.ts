import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import type { ClaimRequest, Lease } from '../../contract/lease.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { claimResponse } from '../../contract/lease.ts';
import { retryConflicts } from '../../database/failure.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { waitedAnswer } from '../http/conditional.ts';
import { visibleEnvironments } from '../environments/visible.ts';
import { hashSecret } from '../keys/key-text.ts';
import type { Principal } from '../keys/principal.ts';
import { count } from '../metrics/tally.ts';
import { completeJob, laneOf } from '../runs/life/run-queue.ts';
import type { Topic } from '../waiting/changes.ts';
import { enterWait } from '../waiting/wait-slots.ts';
import { buildLease, type Claimed } from './build-lease.ts';
import { isOffered } from '../workers/list-workers.ts';
import { noteWorker } from './note-worker.ts';
import type { Ask, Offer } from './ask.ts';

const TOKEN_BYTES = 24;
/**
 * Tries per look: a job may belong to a run that no longer waits, or another worker may have
 * emptied the lane.
 */
const LOOKS_MAX = 20;

/** POST /worker/claim: gives the worker the next run under a lease; waits for one if asked. */
export async function claim(
  context: ServiceContext,
  { caller, body, waitSeconds, request }: Call<typeof endpoints.worker.claim>,
): Promise<Response> {
  checkHost(caller, body);
  const environments = await environmentsOf(context, caller, body);
  await noteWorker(context, caller, body, environments);
  const ownLane =
    caller.teamId === null
      ? undefined
      : await laneOf(context, caller.teamId, body.worker_host ?? '');
  const topics: Topic[] = [ownLane === undefined ? 'lane:any' : `lane:${ownLane}`];
  const wish = {
    lane: ownLane,
    worker: body.worker_id,
    key: caller.unproven?.hash,
    offer: await offerOf(context, body),
    environments,
  };
  let isProven = false;
  const look = async (): Promise<Claimed | undefined> => {
    // The statement for certain environments does not check the key itself.
    if (environments) await caller.unproven?.prove();
    const taken =
      body.capacity > 0 && !context.held.now ? await claimNext(context, wish) : undefined;
    if (!taken && !environments && !isProven) await caller.unproven?.prove();
    isProven = true;
    return taken;
  };
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

function checkHost(caller: Principal, body: ClaimRequest): void {
  if (caller.teamId !== null || body.worker_host === undefined) return;
  throw new ProblemError('not_authorized', {
    field: 'worker_host',
    detail: 'worker_host: a self-hosted worker needs a key of its team',
  });
}

/**
 * Runs that name no agent go to workers that offer the operator's default agent. If nobody offers
 * it, a worker without any agent takes them too, and fails them with advice on what to install
 * (run-lifecycle.md, "Where a run works").
 */
async function offerOf(
  { db, config }: ServiceContext,
  { harnesses }: ClaimRequest,
): Promise<Offer> {
  const usual = config.default_harness;
  const hasNone = harnesses.every((name) => name === 'demo');
  const unnamed =
    usual === undefined || harnesses.includes(usual) || (hasNone && !(await isOffered(db, usual)));
  return { harnesses: [...new Set(harnesses)].toSorted(), unnamed };
}

/**
 * Ids of the environments that the worker names. Throws `resource_not_found` if its team can see
 * none of them.
 */
async function environmentsOf(
  context: ServiceContext,
  { teamId }: Principal,
  { environment: wanted }: ClaimRequest,
): Promise<string[] | undefined> {
  if (wanted === undefined) return undefined;
  const seen =
    teamId === null ? context.config.environments : await visibleEnvironments(context, teamId);
  const ids = seen.filter(({ id, name }) => id === wanted || name === wanted).map(({ id }) => id);
  if (ids.length > 0) return ids;
  throw new ProblemError('resource_not_found', {
    field: 'environment',
    detail: `environment: there is no environment "${wanted}" for this worker`,
  });
}

/**
 * Claims the next run in the worker's lane, or in the pool's lanes in turn. If a job's run is no
 * longer waiting, the job is completed and the next one tried.
 */
async function claimNext(
  context: ServiceContext,
  wish: Omit<Ask, 'tokenHash'>,
): Promise<Claimed | undefined> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const ask = { ...wish, tokenHash: hashSecret(token) };
    const { run, job, lane } = await retryConflicts(() => context.takeRun(ask));
    if (run) {
      count(context.tally.changes, run.state);
      context.changes.spread([`run:${run.id}`, `team:${run.team_id}`, `log:${run.id}`]);
      return { run, token };
    }
    if (job) await completeJob(context, context.db, job);
    else if (wish.lane !== undefined || lane === null) return undefined;
  }
  return undefined;
}
