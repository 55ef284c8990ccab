import { retry } from '../base/retry.ts';
import type { CreateRunRequest } from '../contract/run.ts';
import type { Client } from './connect.ts';
import { isAmbiguous, isClientError, isProblem, type ClientFailure } from './error.ts';
import { allRuns } from './pages.ts';
import { retryDelayMs } from './retry.ts';
import type { CallOptions } from './send.ts';

/**
 * Metadata key under which a run carries the id of the request that made it
 * (run-lifecycle.md, "One request, one run").
 */
export const REQUEST_KEY = 'runlink.request';
/** Defaults: how long creation is tried, and how far back a run of this request is searched. */
const DEADLINE_MS = 120_000;
const SEEK_BACK_MS = 24 * 3_600_000;

/** Identifies a request: the same id means the same run. */
export interface RequestIdentity {
  /** Sent in metadata and, with `attempt`, as `Idempotency-Key`. */
  requestId: string;
  /** Nothing was ever sent for this request, so the first try needs no search. */
  fresh?: boolean;
  /** How far back to search if the service cannot filter by metadata. Default: a day. */
  since?: Date;
}

export interface CreatedRun {
  runId: string;
  /** False if an earlier try had already created it. */
  created: boolean;
}

type Options = Pick<CallOptions, 'signal' | 'tryTimeoutMs' | 'deadlineMs' | 'headers'>;

/**
 * The oldest run with this request id, if any. If the service does not filter by metadata, reads
 * all runs made since `since`.
 */
export async function findRunByRequest(
  client: Client,
  identity: RequestIdentity,
  options: CallOptions = {},
): Promise<{ runId: string; state: string } | undefined> {
  const { requestId } = identity;
  const order = { sort_by: 'created_at', sort_order: 'asc' } as const;
  try {
    const query = { ...order, limit: 1, metadata: { [REQUEST_KEY]: requestId } };
    const [run] = (await client.runs.list(query, options)).runs;
    if (!run) return undefined;
    if (run.metadata?.[REQUEST_KEY] === requestId) return { runId: run.run_id, state: run.state };
  } catch (error) {
    if (!isProblem(error, 'feature_not_available')) throw error;
  }
  const since = identity.since ?? new Date(Date.now() - SEEK_BACK_MS);
  const query = { ...order, limit: 100, created_after: since.toISOString() };
  for await (const run of allRuns(client, query, options)) {
    if (run.metadata?.[REQUEST_KEY] === requestId) return { runId: run.run_id, state: run.state };
  }
  return undefined;
}

/**
 * Starts a run exactly once, however often it is called and whatever the network does: before a
 * second POST it searches for a run with this request id. Throws the last failure at the deadline.
 */
export async function createRunOnce(
  client: Client,
  request: CreateRunRequest,
  identity: RequestIdentity,
  options: Options = {},
): Promise<CreatedRun> {
  const deadline = performance.now() + (options.deadlineMs ?? DEADLINE_MS);
  const body = {
    ...request,
    metadata: { ...request.metadata, [REQUEST_KEY]: identity.requestId },
  };
  const headers = { ...options.headers, 'idempotency-key': identity.requestId };
  const left = (): number => Math.max(1, deadline - performance.now());
  let mayExist = identity.fresh !== true;
  const attempt = async (): Promise<CreatedRun> => {
    if (mayExist) {
      const found = await findRunByRequest(client, identity, { ...options, deadlineMs: left() });
      if (found) return { runId: found.runId, created: false };
    }
    const once = { ...options, headers, deadlineMs: left(), retry: false };
    const { run_id: runId } = await client.runs.create(body, once);
    return { runId, created: true };
  };
  const pauseMs = (error: unknown, failures: number): number | undefined => {
    if (!isClientError(error) || !mayTryAgain(error)) return undefined;
    mayExist ||= isAmbiguous(error);
    const asked = error.kind === 'problem' ? error.retryAfterMs : undefined;
    return retryDelayMs(failures, asked, Math.random);
  };
  return retry(attempt, { pauseMs, deadline, signal: options.signal });
}

/**
 * Retrying cannot help after a conflict (the id was used for another request), or if the answer has
 * an unexpected shape.
 */
function mayTryAgain(failure: ClientFailure): boolean {
  if (failure.kind === 'problem') return failure.retryable && failure.status !== 409;
  return failure.kind !== 'unreadable' || failure.garbled;
}
