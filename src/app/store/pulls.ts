import { sql, type RawBuilder, type Selection, type Simplify, type SqlBool } from 'kysely';
import { NOW } from './database-time.ts';
import { readFact, writeFact } from './replica.ts';
import type { AppDb, AppTables } from './tables.ts';

const COLUMNS = [
  'url',
  'run_id as runId',
  'repository',
  'number',
  'title',
  'head_sha as headSha',
  'state',
  'linked_at as linkedAt',
] as const;

/** A pull request of a run. */
export type RunPull = Simplify<Selection<AppTables, 'pulls', (typeof COLUMNS)[number]>>;

/**
 * Remembers a pull request as the run's. If two runs name it, the newest wins (github.md, "Links"),
 * but a run of another account never replaces one of its own account.
 */
export async function addPull(
  db: AppDb,
  pull: Pick<RunPull, 'url' | 'runId' | 'repository' | 'number'>,
): Promise<void> {
  const { url, runId, repository, number } = pull;
  const isNewer = sql<SqlBool>`${rank('excluded.run_id')} > ${rank('pulls.run_id')}`;
  await db
    .insertInto('pulls')
    .values({ url, run_id: runId, repository, number })
    .onConflict((conflict) =>
      conflict
        .columns(['repository', 'number'])
        .doUpdateSet({ run_id: runId, linked_at: null })
        .where('pulls.run_id', '<>', runId)
        .where(isNewer),
    )
    .execute();
}

function rank(runId: 'excluded.run_id' | 'pulls.run_id'): RawBuilder<unknown> {
  const account = sql`split_part(lower(repository), '/', 1)`;
  return sql`(select (${account} = split_part(lower(excluded.repository), '/', 1), created_at)
    from runs where run_id = ${sql.ref(runId)})`;
}

export async function pullsOfRun(db: AppDb, runId: string): Promise<RunPull[]> {
  const pulls = db.selectFrom('pulls').where('run_id', '=', runId).select(COLUMNS);
  return pulls.orderBy('number').execute();
}

export async function findPull(
  db: AppDb,
  repository: string,
  number: number,
): Promise<RunPull | undefined> {
  return db
    .selectFrom('pulls')
    .where('repository', '=', repository)
    .where('number', '=', number)
    .select(COLUMNS)
    .executeTakeFirst();
}

/** Stores what GitHub last said about a pull request; returns whether that changed anything. */
export async function updatePull(
  db: AppDb,
  pull: Pick<RunPull, 'repository' | 'number' | 'title' | 'headSha' | 'state'>,
): Promise<boolean> {
  const { repository, number, title, headSha: head_sha, state } = pull;
  const { numUpdatedRows } = await db
    .updateTable('pulls')
    .set({ head_sha, state, title })
    .where('repository', '=', repository)
    .where('number', '=', number)
    .where((it) =>
      it.or([
        it('head_sha', 'is distinct from', head_sha),
        it('state', '<>', state),
        it('title', 'is distinct from', title),
      ]),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

const LATER = 'link:';
/** The first tries come soon after each other; later ones are left to the sweep. */
const SOON = [1, 2, 3, 4];

/** Counts a failure to read what the run itself does not carry, such as its pull requests. */
export async function linkLater(db: AppDb, runId: string): Promise<void> {
  const before = Number(await readFact(db, LATER + runId));
  await writeFact(db, LATER + runId, Number.isSafeInteger(before) ? before + 1 : 1);
}

/** Runs of which something could not be read, perhaps because of a limit that has passed. */
export async function runsToReadAgain(db: AppDb): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select substr(name, ${LATER.length + 1}) as id from facts
    where starts_with(name, ${LATER}) and value = any(${SOON.map(String)}::jsonb[])`.execute(db);
  return rows.map((row) => row.id);
}

export async function markLookedFor(db: AppDb, runId: string): Promise<void> {
  await db
    .deleteFrom('facts')
    .where('name', '=', LATER + runId)
    .execute();
}

/**
 * Runs with a pull request that was not found, not reported to the service, or not read from
 * GitHub.
 */
export async function runsToLink(db: AppDb): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select run_id as id from pulls where linked_at is null or state = 'unknown'
    union
    select substr(name, ${LATER.length + 1}) from facts where starts_with(name, ${LATER})
    union
    select run_id from runs r
    where run->'artifacts' @> '[{"artifact_type": "PULL_REQUEST"}]'
      and created_at > now() - interval '7 days'
      and not exists (select from pulls p where p.run_id = r.run_id)`.execute(db);
  return rows.map((row) => row.id);
}

export async function markLinked(db: AppDb, url: string): Promise<void> {
  await db.updateTable('pulls').set({ linked_at: NOW }).where('url', '=', url).execute();
}
