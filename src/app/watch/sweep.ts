import { errorMessage } from '../../base/error.ts';
import { isProblem } from '../../client/error.ts';
import { allRuns } from '../../client/pages.ts';
import type { RunRead } from '../../contract/run.ts';
import type { AppContext } from '../context.ts';
import { linkPulls } from '../publish/link-pulls.ts';
import { purgeDeliveries } from '../store/deliveries.ts';
import { purgeInstallations, purgeWrites } from '../store/installations.ts';
import { markLookedFor, runsToLink } from '../store/pulls.ts';
import {
  findStoredRun,
  giveUpRun,
  liveRunIds,
  markMissing,
  markStale,
  updateRuns,
} from '../store/runs.ts';

const PAGE_SIZE = 500;
const READ_WITHIN_MS = 30_000;
/** A run that stays unknown to the service for a day is given up. */
const MISSING_MAX_MS = 24 * 3_600_000;
/**
 * GitHub redelivers for up to 7 days, also on Enterprise Server (github.md, "Deliveries"); older
 * ones cannot come back.
 */
const KEEP_DELIVERIES_DAYS = 14;
/** If the App is installed again within this time, everything is as it was. */
const KEEP_UNINSTALLED_DAYS = 30;

/**
 * Repairs what no event told us: runs that ended unseen or vanished, links that one side refused,
 * old rows. Reads working runs in pages of 500, and one by one only those missing there.
 */
export async function sweep(context: AppContext): Promise<void> {
  await sweepRuns(context);
  for (const runId of await runsToLink(context.db)) await linkAgain(context, runId);
  await purgeDeliveries(context.db, KEEP_DELIVERIES_DAYS);
  await purgeWrites(context.db);
  await purgeInstallations(context.db, KEEP_UNINSTALLED_DAYS);
}

async function sweepRuns(context: AppContext): Promise<void> {
  const before = new Set(await liveRunIds(context.db));
  if (before.size === 0) return;
  const query = {
    state: ['QUEUED', 'PENDING', 'INPROGRESS'],
    sort_by: 'created_at',
    limit: PAGE_SIZE,
  } as const;
  let page: RunRead[] = [];
  for await (const run of allRuns(
    context.client,
    { ...query, state: [...query.state] },
    { deadlineMs: READ_WITHIN_MS },
  )) {
    if (before.delete(run.run_id)) page.push(run);
    if (page.length === PAGE_SIZE) {
      await updateRuns(context.db, page);
      page = [];
    }
  }
  await updateRuns(context.db, page);
  for (const runId of before) await lookFor(context, runId);
}

/** Reads one run that is not among the working ones, because it has ended or is gone. */
async function lookFor(context: AppContext, runId: string): Promise<void> {
  try {
    await updateRuns(context.db, [
      await context.client.runs.get(runId, { deadlineMs: READ_WITHIN_MS }),
    ]);
  } catch (error) {
    if (!isProblem(error, 'resource_not_found')) throw error;
    const since = await markMissing(context.db, runId);
    const missingMs = Date.now() - since.getTime();
    if (missingMs < context.settings.tellAfterMs) return;
    if (missingMs > MISSING_MAX_MS) await giveUpRun(context.db, runId);
    await markStale(context.db, [runId]);
    context.log.warn({ run: runId, since }, 'the service does not know this run');
  }
}

async function linkAgain(context: AppContext, runId: string): Promise<void> {
  const stored = await findStoredRun(context.db, runId);
  if (!stored) return;
  try {
    await linkPulls(context, stored);
    await markLookedFor(context.db, runId);
    await markStale(context.db, [runId]);
  } catch (error) {
    context.log.warn({ run: runId, error: errorMessage(error) }, 'pull requests not linked yet');
  }
}
