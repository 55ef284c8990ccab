import { sql } from 'kysely';
import { parseDurationMs } from '../../base/time.ts';
import { ProblemError } from '../../contract/problem.ts';
import { SERVICE } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import { executorOf, mergeConfig } from '../identities/execute-as.ts';
import { insertRun } from '../runs/create/insert-run.ts';
import type { NewRun } from '../runs/create/new-run.ts';
import { decideConfig } from '../runs/create/resolve-config.ts';
import { noteBornShared } from '../runs/sharing.ts';
import { queuePlaceOf } from '../runs/life/run-queue.ts';
import { latestFiring, nextFiring } from './cron.ts';
import { scheduleOfRun, type ScheduleRow } from './present-schedule.ts';
import { sendFiring } from './schedule-queue.ts';

/** The field of a schedule with its runs' configuration. */
const FIELD = 'agent_config';
/**
 * A firing that is this late still counts as on time: jobs are polled every second, and sweeps run
 * every ten.
 */
const ON_TIME_MS = 60_000;

/** Result of a job: `stale` if its time was fired, moved, paused or held meanwhile. */
export type Firing = 'started' | 'skipped' | 'refused' | 'stale';

/**
 * Fires a schedule for one time, if `next_run` still is that time. One transaction under the row's
 * lock creates the run and the job for the next time. So each time starts at most one run, however
 * many nodes and deliveries there are, and a refused run never blocks the next one.
 */
export async function fireSchedule(
  context: ServiceContext,
  id: string,
  fireAt: Date,
): Promise<Firing> {
  const row = context.held.now ? undefined : await readDue(context, id, fireAt);
  if (!row) return 'stale';
  const run = isDue(context, row, row.now) ? await tryRunOf(context, row) : undefined;
  return context.db.transaction().execute(async (trx) => {
    const next = nextFiring(row.cron_schedule, row.now) ?? null;
    const moved = await trx
      .updateTable('schedules')
      .set({
        next_run: next,
        ...(run === undefined ? {} : { last_spawn_error: typeof run === 'string' ? run : null }),
        ...(typeof run === 'object' ? { last_ran: sql<Date>`now()` } : {}),
      })
      .where('id', '=', id)
      .where('next_run', '=', fireAt)
      .where('updated_at', '=', row.updated_at)
      .executeTakeFirst();
    if (moved.numUpdatedRows === 0n) return 'stale';
    await sendFiring(context, trx, id, next);
    if (run === undefined) return 'skipped';
    if (typeof run === 'string') return 'refused';
    const runId = await insertRun(context, trx, run);
    const by = { actor: SERVICE, teamId: run.teamId };
    await noteBornShared(trx, by, { ...run, id: runId });
    return 'started';
  });
}

async function readDue({ db }: ServiceContext, id: string, fireAt: Date) {
  const row = await db
    .selectFrom('schedules')
    .where('id', '=', id)
    .where('next_run', '=', fireAt)
    .selectAll()
    .select(sql<Date>`now()`.as('now'))
    .executeTakeFirst();
  return row && row.now >= fireAt ? row : undefined;
}

/** The run that a firing starts. Throws ProblemError if there cannot be one. */
async function runOf(context: ServiceContext, row: ScheduleRow): Promise<NewRun> {
  const { team_id: teamId } = row;
  const { executor, defaults } = await executorOf(context, teamId, row.created_by, row.agent_uid);
  const asked = mergeConfig(defaults, row.config);
  const { config, skill } = await decideConfig(context, teamId, asked, FIELD);
  return {
    teamId,
    prompt: row.prompt,
    title: row.name,
    mode: row.mode ?? 'normal',
    source: 'SCHEDULED_AGENT',
    config,
    creator: { ...row.created_by, uid: row.created_by.uid ?? '' },
    executor,
    metadata: row.metadata,
    place: await queuePlaceOf(context, teamId, config),
    skill,
    schedule: scheduleOfRun(row),
  };
}

async function tryRunOf(context: ServiceContext, row: ScheduleRow): Promise<NewRun | string> {
  try {
    return await runOf(context, row);
  } catch (error) {
    if (error instanceof ProblemError) return error.message;
    throw error;
  }
}

/** Whether the latest missed firing is recent enough to be made up for (docs/api.md). */
function isDue({ config }: ServiceContext, row: ScheduleRow, now: Date): boolean {
  const latest = latestFiring(row.cron_schedule, now);
  const limit = Math.max(parseDurationMs(config.limits.missed_firing), ON_TIME_MS);
  return latest !== undefined && now.getTime() - latest.getTime() <= limit;
}
