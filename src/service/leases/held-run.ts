import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { LEASE_HEADER } from '../../contract/lease.ts';
import { ProblemError } from '../../contract/problem.ts';
import { hashSecret } from '../keys/key-text.ts';
import type { Principal } from '../keys/principal.ts';
import { teamOf } from '../keys/spaces.ts';
import { isRunId } from '../runs/find-run.ts';
import type { HeldJob } from '../runs/life/run-queue.ts';
import type { Db } from '../tables.ts';

/** How long after a cancel the worker may still report what it did. */
const CANCELLED_GRACE_MS = 60_000;

/** A run for which the caller has shown the lease's token. */
export type HeldRun = NonNullable<Awaited<ReturnType<typeof readRun>>> & { job: HeldJob };

/**
 * The 409 for a worker that lost its lease. Without Retry-After, because the lease never comes
 * back.
 */
export function leaseLost(): ProblemError {
  return new ProblemError('conflict', {
    title: 'This lease is over.',
    detail: 'The run was given to another execution, or has ended. Nothing was changed.',
  });
}

async function isFor(db: Db, { teamId }: Principal, space: string): Promise<boolean> {
  return teamId === null || teamId === space || teamId === (await teamOf(db, space));
}

/**
 * The run that a worker's request is about, if its token belongs to the run's latest claim. 404 if
 * the run does not exist for this key, 409 if the token is stale (threats.md S12).
 */
export async function requireLease(
  db: Db,
  caller: Principal,
  runId: string,
  request: Request,
): Promise<HeldRun> {
  await caller.unproven?.prove();
  const run = isRunId(runId) ? await readRun(db, runId) : undefined;
  if (!run || !(await isFor(db, caller, run.team_id))) throw new ProblemError('resource_not_found');
  const given = hashSecret(request.headers.get(LEASE_HEADER) ?? '');
  if (!run.lease_hash || !run.job_id || !timingSafeEqual(given, run.lease_hash)) throw leaseLost();
  return { ...run, job: { id: run.job_id, retryCount: run.job_retry } };
}

/** Whether this execution was cancelled and its worker has not yet reported that it stopped. */
export function isStopping(
  run: Pick<HeldRun, 'state' | 'attempt' | 'ended_attempt' | 'finished_at'>,
): boolean {
  if (run.state !== 'CANCELLED' || run.ended_attempt >= run.attempt) return false;
  return Date.now() - (run.finished_at?.getTime() ?? 0) < CANCELLED_GRACE_MS;
}

function readRun(db: Db, runId: string) {
  return db
    .selectFrom('runs')
    .where('id', '=', runId)
    .select([
      'id',
      'team_id',
      'state',
      'attempt',
      'ended_attempt',
      'job_id',
      'job_retry',
      'lease_hash',
      'cancel_signal',
      'finished_at',
      'environment_id',
      sql<Date>`clock_timestamp()`.as('asked_at'),
    ])
    .executeTakeFirst();
}
