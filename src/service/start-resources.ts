import { errorMessage } from '../base/error.ts';
import { noteSettings } from './audit/note-settings.ts';
import { sweepBlobs } from './artifacts/sweep-blobs.ts';
import type { ServiceContext } from './context.ts';
import { syncEnvironments } from './environments/sync-environments.ts';
import { sweepOnceKeys } from './runs/create/idempotency.ts';
import { sweepEndedRuns } from './runs/life/sweep-ended.ts';
import { runSchedules, sweepSchedules } from './schedules/run-schedules.ts';
import { runJudges } from './scores/dispatch-judges.ts';
import { checkMemberships } from './sign-in/sign-in.ts';
import { syncSkillSources } from './skills/sources.ts';
import { countLines } from './runs/count-lines.ts';
import { countRuns } from './statistics/count-runs.ts';
import { keepLongRuns } from './sweep/keep-long-runs.ts';

const SCHEDULES_EVERY_MS = 10_000;
const RUNS_EVERY_MS = 60_000;
const BLOBS_EVERY_MS = 60_000;
const STATISTICS_EVERY_MS = 3000;

/** Records the configuration, then fires schedules, starts judges and sweeps until stopped. */
export async function startResources(
  context: ServiceContext,
): Promise<{ stop: () => Promise<void> }> {
  await noteSettings(context);
  await syncEnvironments(context);
  await syncSkillSources(context);
  const stops = [
    await runSchedules(context),
    await runJudges(context),
    repeat(context, 'sweeping of schedules', SCHEDULES_EVERY_MS, sweepSchedules),
    repeat(context, 'sweeping of ended runs', RUNS_EVERY_MS, sweepEndedRuns),
    repeat(context, 'sweeping of request keys', RUNS_EVERY_MS, sweepOnceKeys),
    repeat(context, 'checking of members', RUNS_EVERY_MS, checkMemberships),
    repeat(context, 'keeping of long runs', RUNS_EVERY_MS, keepLongRuns),
    repeat(context, 'sweeping of contents', BLOBS_EVERY_MS, sweepBlobs),
    repeat(context, 'counting of runs', STATISTICS_EVERY_MS, countRuns),
    repeat(context, 'counting of lines', STATISTICS_EVERY_MS, countLines),
  ];
  return {
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/**
 * Repeats some work until stopped, with a pause of `everyMs` after each round. Failures are logged.
 */
function repeat(
  context: ServiceContext,
  name: string,
  everyMs: number,
  work: (context: ServiceContext) => Promise<unknown>,
): () => Promise<void> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const round = async (): Promise<void> => {
    try {
      await work(context);
    } catch (error) {
      context.log.warn({ reason: errorMessage(error) }, `${name} failed`);
    }
    next();
  };
  const next = (): void => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      running = round();
    }, everyMs);
  };
  next();
  return async () => {
    stopping.abort();
    clearTimeout(timer);
    await running;
  };
}
