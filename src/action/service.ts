import { isProblem } from '../client/error.ts';
import { allRuns } from '../client/pages.ts';
import type { RunLookup } from '../commands/thread-run.ts';
import { patienceMs, type Act } from './act.ts';

/** How the run of a thread is found at the service; 404 is an answer, not a failure. */
export function runLookup(act: Act): RunLookup {
  const options = { signal: act.signal, deadlineMs: patienceMs(act) };
  return {
    runOfUrl: (url) =>
      orUndefined(async () => (await act.client.runs.byExternalReference({ url }, options)).run_id),
    newestRun: (metadata) => newestRun(act, metadata),
    getRun: (runId) => orUndefined(async () => act.client.runs.get(runId, options)),
  };
}

/** Where the service cannot filter by metadata, the last day's runs are looked through. */
async function newestRun(
  act: Act,
  metadata: Record<string, string>,
): Promise<Awaited<ReturnType<RunLookup['newestRun']>>> {
  const options = { signal: act.signal, deadlineMs: patienceMs(act) };
  const order = { sort_by: 'created_at', sort_order: 'desc' } as const;
  const matches = (run: { metadata?: Record<string, string> | null | undefined }): boolean =>
    Object.entries(metadata).every(([key, value]) => run.metadata?.[key] === value);
  try {
    const { runs } = await act.client.runs.list({ ...order, limit: 1, metadata }, options);
    return runs.find(matches);
  } catch (error) {
    if (!isProblem(error, 'feature_not_available')) throw error;
  }
  const since = new Date(Date.now() - 24 * 3_600_000).toISOString();
  const query = { ...order, limit: 100, created_after: since };
  for await (const run of allRuns(act.client, query, options)) if (matches(run)) return run;
  return undefined;
}

async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isProblem(error, 'resource_not_found')) return undefined;
    throw error;
  }
}
