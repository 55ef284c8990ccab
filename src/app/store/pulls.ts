import { sql, type RawBuilder } from 'kysely';
import { writeFact } from './replica.ts';
import type { RunPull } from './runs.ts';
import type { AppDb } from './tables.ts';

const COLUMNS = sql`
  url, run_id as "runId", repository, number, title, head_sha as "headSha", state,
  linked_at as "linkedAt"`;

/**
 * Remembers a pull request as the run's; should two runs name one, the newest wins
 * (github.md, "Links"), but none of another account over one of its own.
 */
export async function addPull(
  db: AppDb,
  pull: Pick<RunPull, 'url' | 'runId' | 'repository' | 'number'>,
): Promise<void> {
  await sql`
    insert into app.pulls (url, run_id, repository, number)
    values (${pull.url}, ${pull.runId}, ${pull.repository}, ${pull.number})
    on conflict (repository, number) do update
    set run_id = excluded.run_id, linked_at = null
    where app.pulls.run_id <> excluded.run_id and ${rank(sql.ref('excluded.run_id'))}
      > ${rank(sql.ref('app.pulls.run_id'))}`.execute(db);
}

function rank(runId: RawBuilder<unknown>): RawBuilder<unknown> {
  const account = sql`split_part(lower(repository), '/', 1)`;
  return sql`(select (${account} = split_part(lower(excluded.repository), '/', 1), created_at)
    from app.runs where run_id = ${runId})`;
}

export async function pullsOfRun(db: AppDb, runId: string): Promise<RunPull[]> {
  const { rows } = await sql<RunPull>`
    select ${COLUMNS} from app.pulls where run_id = ${runId} order by number`.execute(db);
  return rows;
}

export async function findPull(
  db: AppDb,
  repository: string,
  number: number,
): Promise<RunPull | undefined> {
  const { rows } = await sql<RunPull>`
    select ${COLUMNS} from app.pulls
    where repository = ${repository} and number = ${number}`.execute(db);
  return rows[0];
}

/** What GitHub last said of a pull request; answers whether that is news. */
export async function updatePull(
  db: AppDb,
  pull: Pick<RunPull, 'repository' | 'number' | 'title' | 'headSha' | 'state'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update app.pulls set head_sha = ${pull.headSha}, state = ${pull.state}, title = ${pull.title}
    where repository = ${pull.repository} and number = ${pull.number}
      and (head_sha, state, title) is distinct from (${pull.headSha}, ${pull.state}, ${pull.title})`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

const LATER = 'link:';

/** The pull requests of this run could not be looked for. */
export async function linkLater(db: AppDb, runId: string): Promise<void> {
  await writeFact(db, LATER + runId, true);
}

export async function markLookedFor(db: AppDb, runId: string): Promise<void> {
  await db
    .deleteFrom('app.facts')
    .where('name', '=', LATER + runId)
    .execute();
}

/** Runs with a pull request that was not found, not told to the service, or not read from GitHub. */
export async function runsToLink(db: AppDb): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select run_id as id from app.pulls where linked_at is null or state = 'unknown'
    union
    select substr(name, ${LATER.length + 1}) from app.facts where starts_with(name, ${LATER})
    union
    select run_id from app.runs r
    where run->'artifacts' @> '[{"artifact_type": "PULL_REQUEST"}]'
      and created_at > now() - interval '7 days'
      and not exists (select from app.pulls p where p.run_id = r.run_id)`.execute(db);
  return rows.map((row) => row.id);
}

export async function markLinked(db: AppDb, url: string): Promise<void> {
  await db
    .updateTable('app.pulls')
    .set({ linked_at: sql`now()` })
    .where('url', '=', url)
    .execute();
}
