import { z } from 'zod';
import { errorMessage } from '../../base/error.ts';
import { sleep } from '../../base/time.ts';
import type { RunRead } from '../../contract/run.ts';
import { isClientError } from '../../client/error.ts';
import { watchAllRuns } from '../../client/watch-all-runs.ts';
import type { AppContext } from '../context.ts';
import { serviceDownSince, storeServiceDown } from '../publish/service-down.ts';
import { readFact, writeFact } from '../store/replica.ts';
import { liveRunIds, markStale, updateRuns } from '../store/runs.ts';
import { batches } from './batches.ts';

const CURSOR = 'watched_until';
const BATCH_MAX = 200;

/**
 * Watches all runs with one poll (decisions.md D16) until the signal is aborted, and stores how far
 * it came. Calls `onNews` when runs changed. If the service is down, keeps checking its health and
 * stores since when.
 */
export async function watchRuns(
  context: AppContext,
  signal: AbortSignal,
  onNews: () => void,
): Promise<void> {
  const { lookWithinMs: deadlineMs } = context.settings;
  while (!signal.aborted) {
    try {
      const since = await startOfWatch(context, signal);
      if (await recovered(context)) onNews();
      const changes = watchAllRuns(context.client, { since, signal, deadlineMs });
      for await (const batch of batches(changes, BATCH_MAX)) {
        context.metrics.serviceRequests.inc({ outcome: 'changes' });
        const news = await updateRuns(context.db, newestOfEach(batch));
        await storeCursor(context, batch);
        if (news.length > 0) onNews();
      }
    } catch (error) {
      if (signal.aborted) return;
      await fail(context, error).catch((second: unknown) => interrupted(context, second));
      await sleep(context.settings.probeEveryMs, signal).catch(() => {});
    }
  }
}

/** Where the last watch stopped; the first one starts at the newest change. */
async function startOfWatch(context: AppContext, signal: AbortSignal): Promise<Date> {
  const stored = z.iso.datetime({ offset: true }).safeParse(await readFact(context.db, CURSOR));
  const query = { sort_by: 'updated_at', sort_order: 'desc', limit: 1 } as const;
  const { runs } = await context.client.runs.list(query, {
    signal,
    deadlineMs: context.settings.lookWithinMs,
  });
  return new Date(stored.data ?? runs[0]?.updated_at ?? 0);
}

function newestOfEach(batch: readonly RunRead[]): RunRead[] {
  return [...new Map(batch.map((run) => [run.run_id, run])).values()];
}

async function storeCursor(context: AppContext, batch: readonly RunRead[]): Promise<void> {
  const newest = batch
    .flatMap((run) => run.updated_at ?? [])
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
  if (newest) await writeFact(context.db, CURSOR, newest);
}

/** The service answers. True if it was down before, so that people are told. */
async function recovered(context: AppContext): Promise<boolean> {
  if (!(await serviceDownSince(context.db))) return false;
  await storeServiceDown(context.db, undefined);
  await markStale(context.db, await liveRunIds(context.db));
  context.log.info({}, 'the run service answers again');
  return true;
}

/** Our own database is away: the watch goes on from the same place when it is back. */
function interrupted(context: AppContext, error: unknown): void {
  context.log.warn({ error: errorMessage(error) }, 'the watch is interrupted');
}

async function fail(context: AppContext, error: unknown): Promise<void> {
  if (!isClientError(error)) return interrupted(context, error);
  context.metrics.serviceRequests.inc({ outcome: 'failed' });
  context.log.warn({ error: errorMessage(error) }, 'the run service does not answer');
  const { db, settings } = context;
  const since = await serviceDownSince(db);
  if (!since) return storeServiceDown(db, new Date());
  const toldAt = since.getTime() + settings.tellAfterMs;
  const sinceTold = Date.now() - toldAt;
  if (sinceTold >= 0 && sinceTold < 2 * (settings.probeEveryMs + settings.lookWithinMs)) {
    await markStale(db, await liveRunIds(db));
  }
}
