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
/** A run that stays unknown to the service for a day is not looked for any more. */
const MISSING_MAX_MS = 24 * 3_600_000;
/**
 * GitHub redelivers for up to 7 days on Enterprise Server (github.md, "Deliveries"); what is older
 * cannot come back.
 */
const KEEP_DELIVERIES_DAYS = 14;
/** Who installs the App again within this time finds everything as it was. */
const KEEP_UNINSTALLED_DAYS = 30;

/**
 * Puts right what no event told: runs whose end was missed or that vanished, links the other side did
 * not take, old rows. The working runs are read in pages of 500, only those missing there one by one.
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

/** Reads one run that is not among the working ones: it has ended, or is gone. */
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
