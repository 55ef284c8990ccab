import { sql, type SelectQueryBuilder } from 'kysely';
import { STORED_RUN, type StoredRun } from './runs.ts';
import type { AppDb, AppTables } from './tables.ts';

/** A thread that shows the run. */
export interface RunThread {
  repository: string;
  number: number;
  isPullRequest: boolean;
  /** Review comment whose thread the run was asked in. */
  replyTo: string | null;
  actor: string;
  /** Somebody asked here; otherwise the run only opened this pull request. */
  asked: boolean;
  /** The pull request's head as it was read when somebody last asked. */
  headSha?: string | null;
}

/** Shows the run on a thread, or in a review thread of it; where somebody asked stays so. */
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

/** The run a thread belongs to: the newest that is shown there. */
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

/** Runs shown on a thread that have not ended. */
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
