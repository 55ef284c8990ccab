import { randomUUID } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { batched } from '../../../base/batch.ts';
import { isDatabaseUnavailable } from '../../../database/failure.ts';
import { insertingJobs } from '../../../database/job-statements.ts';
import type { Database } from '../../../database/open-database.ts';
import type { ServiceContext } from '../../context.ts';
import type { ServiceTables, Trx } from '../../tables.ts';
import { announce, type Topic } from '../../waiting/changes.ts';
import { NEW_RUN_COLUMNS, rowOf, skillSpecOf, type NewRun, type NewRunRow } from './new-run.ts';
import { FIRST_LINES } from '../log/append.ts';
import { learnWords, searchTextOf } from './search-text.ts';

/** Most runs in one statement; limits its size and how many callers wait for one commit. */
const BATCH_MAX = 50;
const BATCH_MAX_BYTES = 4 * 1024 * 1024;

const COLUMNS = Object.keys(NEW_RUN_COLUMNS).join(', ');
const GIVEN = Object.entries({ ...NEW_RUN_COLUMNS, body: 'text' })
  .map((column) => column.join(' '))
  .join(', ');

/** Inserts a run; runs that arrive together share one statement. */
export function createRunInserter({
  steadyPool,
  queue,
}: Pick<Database<ServiceTables>, 'steadyPool' | 'queue'>): (row: NewRunRow) => Promise<void> {
  return batched(
    async (rows) => {
      await steadyPool.query(await statementOf(queue, rows));
      return () => undefined;
    },
    {
      max: BATCH_MAX,
      maxBytes: BATCH_MAX_BYTES,
      bytesOf: ({ prompt, attachments }) =>
        prompt.length + attachments.reduce((sum, { data }) => sum + data.length, 0),
      isOneAtFault: (error) => !isDatabaseUnavailable(error),
    },
  );
}

function topicsOf({ teamId, place }: NewRun): Topic[] {
  const team: Topic = `team:${teamId}`;
  return place ? [team, `lane:${place.lane}`, 'lane:any'] : [team];
}

/**
 * Inserts a run with its first timeline event and its job, completely or not at all, in the
 * caller's transaction or its own. Returns the run's id.
 */
export async function insertRun(
  context: ServiceContext,
  trx: Trx | undefined,
  run: NewRun,
): Promise<string> {
  const id = run.id ?? randomUUID();
  const { title, prompt, config } = run;
  const body = searchTextOf({ title, prompt, skillSpec: skillSpecOf(config) });
  await learnWords(context, trx ?? context.db, body);
  const row = { ...rowOf(id, run), body, track: run.place?.track ?? null };
  if (trx) {
    const { text, values } = await statementOf(context.database.queue, [row]);
    await trx.executeQuery(CompiledQuery.raw(text, values));
    await announce(trx, topicsOf(run));
  } else {
    await context.insertRun(row);
    context.changes.spread(topicsOf(run));
  }
  return id;
}

/**
 * Inserts runs, their metadata by pair, their searchable texts, their first events and their jobs.
 */
function insertion(jobs: string): string {
  return `
  with job as (${jobs}),
  given as (select * from json_to_recordset($1) as given (${GIVEN})),
  created as (
    insert into runs (${COLUMNS}, created_at, updated_at, queued_at)
    select ${COLUMNS}, now(), now(), now() from given
    returning id, team_id, metadata, created_at),
  paired as (
    insert into run_metadata (run_id, team_id, key, value)
    select id, team_id, pair.key, pair.value from created, jsonb_each_text(metadata) pair),
  searchable as (insert into run_texts (run_id, body) select id, body from given),
  logged as (${FIRST_LINES})
  select from created`;
}

/** One statement for several runs: a single round trip, prepared once per connection. */
async function statementOf(queue: Database<ServiceTables>['queue'], rows: readonly NewRunRow[]) {
  const jobs = await insertingJobs(queue, rows);
  return {
    name: 'runlink_insert_runs',
    text: insertion(jobs.text.replace('$1', () => '$2')),
    values: [JSON.stringify(rows), jobs.payload],
  };
}
