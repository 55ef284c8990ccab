import type { endpoints } from '../../contract/endpoints.ts';
import { LEASE_SECONDS, type Signal } from '../../contract/lease.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { waitedAnswer } from '../http/conditional.ts';
import { renewJob } from '../runs/life/run-queue.ts';
import { enterWait } from '../waiting/wait-slots.ts';
import { pendingSignals } from './followups.ts';
import { isStopping, leaseLost, requireLease, type HeldRun } from './held-run.ts';

/** POST …/heartbeat: renews the lease; holds the request until there is a signal, if asked. */
export async function heartbeat(
  context: ServiceContext,
  call: Call<typeof endpoints.worker.heartbeat>,
): Promise<Response> {
  const { caller, params, request, waitSeconds } = call;
  const answer = (signals: Signal[], waited: number | undefined): Response =>
    waitedAnswer(
      { expires_at: new Date(Date.now() + LEASE_SECONDS * 1000).toISOString(), signals },
      waited,
    );
  const first = await beat(context, call);
  if (first.length > 0 || waitSeconds === undefined) return answer(first, waitSeconds);
  const leave = enterWait(caller.keyId);
  if (!leave) return answer(first, undefined);
  try {
    const signals = await context.changes.waitFor(
      [`signal:${params.runId}`],
      { seconds: waitSeconds, signal: request.signal },
      async () => {
        const found = await lookForSignals(context, call);
        return found.length > 0 ? found : undefined;
      },
    );
    return answer(signals ?? (await beat(context, call)), waitSeconds);
  } finally {
    leave();
  }
}

/**
 * Looks for signals without renewing, because a waiting request does not prove that the worker is
 * alive.
 */
async function lookForSignals(
  context: ServiceContext,
  { caller, params, request, body }: Call<typeof endpoints.worker.heartbeat>,
): Promise<Signal[]> {
  const held = await requireLease(context.db, caller, params.runId, request);
  if (isStopping(held)) return cancelSignals(held, body.after_signal);
  if (held.state !== 'PENDING' && held.state !== 'INPROGRESS') throw leaseLost();
  return pendingSignals(context.db, held.id, body.after_signal);
}

function cancelSignals(run: HeldRun, after: number): Signal[] {
  const id = run.cancel_signal ?? 0;
  return id > after ? [{ id, type: 'cancel' }] : [];
}

/** Renews the lease and returns pending signals. */
async function beat(
  context: ServiceContext,
  call: Call<typeof endpoints.worker.heartbeat>,
): Promise<Signal[]> {
  const { caller, params, request, body } = call;
  const held = await requireLease(context.db, caller, params.runId, request);
  if (
    (await renewJob(context, held.job)) &&
    (held.state === 'PENDING' || held.state === 'INPROGRESS')
  )
    return pendingSignals(context.db, held.id, body.after_signal);
  const now = await requireLease(context.db, caller, params.runId, request);
  if (!isStopping(now)) throw leaseLost();
  return cancelSignals(now, body.after_signal);
}
