import { sql, type SelectQueryBuilder } from 'kysely';
import { STORED_RUN, type StoredRun } from './runs.ts';
import type { AppDb, AppTables } from './tables.ts';

/** A thread that shows the run. */
export interface RunThread {
  repository: string;
  number: number;
  isPullRequest: boolean;
  /** Review comment in whose thread the run was asked for. */
  replyTo: string | null;
  actor: string;
  /** Somebody asked for the run here; otherwise the run only opened this pull request. */
  asked: boolean;
  /** The pull request's head when somebody last asked. */
  headSha?: string | null;
}

/**
 * Shows the run on a thread, or in one of its review threads. That somebody asked there is never
 * unset.
 */
export async function addRunThread(db: AppDb, runId: string, thread: RunThread): Promise<void> {
  const { repository, number, actor, asked, headSha = null } = thread;
  await db
    .insertInto('run_threads')
    .values({
      run_id: runId,
      repository,
      number,
      is_pull_request: thread.isPullRequest,
      reply_to: thread.replyTo,
      actor,
      asked,
      head_sha: headSha,
    })
    .onConflict((conflict) =>
      conflict.expression(sql`run_id, repository, number, coalesce(reply_to, '')`).doUpdateSet({
        asked: sql`run_threads.asked or excluded.asked`,
        head_sha: sql`coalesce(excluded.head_sha, run_threads.head_sha)`,
      }),
    )
    .execute();
}

/** The run that a thread belongs to: the newest one shown there. */
export async function runOfThread(
  db: AppDb,
  repository: string,
  number: number,
): Promise<StoredRun | undefined> {
  return db
    .selectFrom('runs')
    .where('run_id', 'in', shownOn(db, repository, number))
    .select(STORED_RUN)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The runs shown on a thread that have not ended. */
export async function liveRunsOnThread(
  db: AppDb,
  repository: string,
  number: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('runs')
    .where('live', '=', true)
    .where('run_id', 'in', shownOn(db, repository, number))
    .select('run_id')
    .orderBy('created_at')
    .execute();
  return rows.map((row) => row.run_id);
}

interface Spot {
  repository: string;
  number: number;
}

/**
 * Moves everything stored for a thread to another one; returns the runs shown there. GitHub gives
 * moved comments new ids, so comments about runs are found again by their marker.
 */
export async function moveThread(db: AppDb, from: Spot, to: Spot): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    for (const table of ['requests', 'runs'] as const)
      await trx
        .updateTable(table)
        .set(to)
        .where((it) => it.and({ ...from }))
        .execute();
    const moved = await trx
      .updateTable('run_threads')
      .set(to)
      .where((it) => it.and({ ...from }))
      .returning('run_id')
      .execute();
    const [old, now] = [from, to].map(({ repository, number }) => `${repository}#${number}`);
    await trx
      .updateTable('posts')
      .set({
        ...to,
        key: sql`replace(key, ${old}, ${now})`,
        remote_id: null,
        tried_at: sql`coalesce(tried_at, created_at)`,
        gone: false,
      })
      .where((it) => it.and({ ...from }))
      .where('key', 'like', 'comment:%')
      .execute();
    return [...new Set(moved.map((row) => row.run_id))];
  });
}

function shownOn(
  db: AppDb,
  repository: string,
  number: number,
): SelectQueryBuilder<AppTables, 'run_threads', { run_id: string }> {
  const threads = db.selectFrom('run_threads').select('run_id');
  return threads.where('repository', '=', repository).where('number', '=', number);
}

export async function threadsOfRun(db: AppDb, runId: string): Promise<RunThread[]> {
  return db
    .selectFrom('run_threads')
    .where('run_id', '=', runId)
    .select(['repository', 'number', 'actor', 'asked'])
    .select(['is_pull_request as isPullRequest', 'reply_to as replyTo', 'head_sha as headSha'])
    .orderBy('created_at')
    .execute();
}
