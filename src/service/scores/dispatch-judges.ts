import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { fromKysely } from 'pg-boss';
import { z } from 'zod';
import type { Scorer } from '../../config/operator-config.ts';
import type { ServiceContext } from '../context.ts';
import { JOBS_PER_LOOK, eachJob } from '../each-job.ts';
import { findRunById, type RunRow } from '../runs/find-run.ts';
import { insertRun } from '../runs/create/insert-run.ts';
import { teamOf } from '../keys/spaces.ts';
import { resolveConfig } from '../runs/create/resolve-config.ts';
import { queuePlaceOf } from '../runs/life/run-queue.ts';
import type { Trx } from '../tables.ts';
import { judgePrompt } from './judge-prompt.ts';

/** Each job of this queue starts the judges for one execution of a run. */
export const JUDGE_QUEUE = 'judges';
const job = z.object({ runId: z.string(), attempt: z.int() });

/** Creator and executor of judge runs. */
const JUDGE = { type: 'service_account', uid: 'runlink-judge', display_name: 'Judge' } as const;

/** Queues the judges for an ended execution, in the transaction that ends it. */
export async function queueJudges(
  { config, database }: Pick<ServiceContext, 'config' | 'database'>,
  trx: Trx,
  run: { id: string; attempt: number },
): Promise<void> {
  if (config.scorers.length === 0) return;
  const data = { runId: run.id, attempt: run.attempt };
  await database.queue.send(JUDGE_QUEUE, data, { db: fromKysely(trx) });
}

/** The same for a job from a backup. */
export async function sendJudges(
  { database }: Pick<ServiceContext, 'database'>,
  data: unknown,
): Promise<void> {
  await database.queue.send(JUDGE_QUEUE, job.parse(data));
}

async function scorersOf({ db, config }: ServiceContext, run: RunRow): Promise<Scorer[]> {
  if (run.source === 'RUN_SCORER') return [];
  const team = await db
    .selectFrom('teams')
    .where('id', '=', await teamOf(db, run.team_id))
    .select('name')
    .executeTakeFirst();
  return config.scorers.filter(
    ({ team: owner, environments }) =>
      owner === team?.name &&
      (environments === undefined || environments.includes(run.environment_id ?? '')),
  );
}

/**
 * Stores which verdicts this judge run will give; returns the scorers that no later execution has
 * claimed.
 */
async function claimJudgements(
  trx: Trx,
  run: RunRow,
  attempt: number,
  scorers: readonly Scorer[],
  judgeRunId: string,
): Promise<Set<number>> {
  const claimed = await trx
    .insertInto('judgements')
    .values(
      scorers.map((scorer) => ({
        run_id: run.id,
        scorer_id: scorer.id,
        scorer_name: scorer.name,
        labels: JSON.stringify(scorer.labels),
        attempt,
        judge_run_id: judgeRunId,
        dispatched_at: sql<Date>`now()`,
        classification: null,
        reason: null,
        scored_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'scorer_id'])
        .doUpdateSet((set) => ({
          scorer_name: set.ref('excluded.scorer_name'),
          labels: set.ref('excluded.labels'),
          attempt: set.ref('excluded.attempt'),
          judge_run_id: set.ref('excluded.judge_run_id'),
          dispatched_at: set.ref('excluded.dispatched_at'),
        }))
        .whereRef('judgements.attempt', '<', 'excluded.attempt'),
    )
    .returning('scorer_id')
    .execute();
  return new Set(claimed.map(({ scorer_id }) => scorer_id));
}

/** Starts one judge run for the scorers that share a model and a harness. */
async function sendJudge(
  context: ServiceContext,
  run: RunRow,
  attempt: number,
  scorers: readonly Scorer[],
): Promise<void> {
  const [first] = scorers;
  if (!first) return;
  const id = randomUUID();
  const team = await teamOf(context.db, run.team_id);
  const config = await resolveConfig(context, team, {
    name: 'judge',
    ...(first.model_id === undefined ? {} : { model_id: first.model_id }),
    ...(first.harness === undefined ? {} : { harness: { type: first.harness } }),
  });
  const place = await queuePlaceOf(context, team, config);
  await context.db.transaction().execute(async (trx) => {
    const claimed = await claimJudgements(trx, run, attempt, scorers, id);
    const asked = scorers.filter((scorer) => claimed.has(scorer.id));
    if (asked.length === 0) return;
    await insertRun(context, trx, {
      id,
      teamId: run.team_id,
      ownerUid: run.owner_uid ?? undefined,
      prompt: await judgePrompt(trx, run, asked, context.publicUrl()),
      title: `Score: ${run.title}`.slice(0, 200).toWellFormed(),
      mode: 'normal',
      source: 'RUN_SCORER',
      config,
      creator: JUDGE,
      executor: JUDGE,
      metadata: { 'runlink.scored_run': run.id },
      place,
    });
  });
}

/** Starts the judges for one execution; a second call for the same one starts none. */
export async function dispatchJudges(
  context: ServiceContext,
  runId: string,
  attempt: number,
): Promise<void> {
  const run = await findRunById(context.db, runId);
  const scorers = await scorersOf(context, run);
  const groups = Map.groupBy(scorers, ({ model_id, harness }) => `${model_id} ${harness}`);
  for (const group of groups.values()) await sendJudge(context, run, attempt, group);
}

export async function createJudgeQueue({
  database,
}: Pick<ServiceContext, 'database'>): Promise<void> {
  await database.queue.createQueue(JUDGE_QUEUE, { retryLimit: 10, retryBackoff: true });
  // Read the settings before the first transaction needs them: see createRunQueue.
  await database.queue.touch(JUDGE_QUEUE, randomUUID());
}

/** Starts judges when runs end; returns a function that stops it. */
export async function runJudges(context: ServiceContext): Promise<() => Promise<void>> {
  const { queue } = context.database;
  const look = { pollingIntervalSeconds: 1, batchSize: JOBS_PER_LOOK };
  await queue.work(JUDGE_QUEUE, look, (jobs) =>
    eachJob(jobs, async ({ data }) => {
      const { runId, attempt } = job.parse(data);
      await dispatchJudges(context, runId, attempt);
    }),
  );
  return () => queue.offWork(JUDGE_QUEUE);
}
