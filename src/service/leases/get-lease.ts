import type { endpoints } from '../../contract/endpoints.ts';
import { LEASE_HEADER, type Lease } from '../../contract/lease.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { findRunById } from '../runs/find-run.ts';
import { renewJob } from '../runs/life/run-queue.ts';
import { buildLease } from './build-lease.ts';
import { leaseLost, requireLease } from './held-run.ts';

/**
 * GET /worker/runs/{runId}/lease: renews the lease and returns it again, with the next position of
 * the log.
 */
export async function getLease(
  context: ServiceContext,
  { caller, params, request }: Call<typeof endpoints.worker.lease>,
): Promise<{ lease: Lease; next_seq: number }> {
  const held = await requireLease(context.db, caller, params.runId, request);
  if (!(await renewJob(context, held.job))) throw leaseLost();
  const token = request.headers.get(LEASE_HEADER) ?? '';
  const run = await findRunById(context.db, held.id);
  const claimed = { run: { ...run, attempt: held.attempt }, token };
  const lease = await buildLease(context, claimed, caller);
  return { lease, next_seq: run.log_next_seq };
}
