import { sql, type RawBuilder } from 'kysely';
import type { RequestUsage, StatusMessage, TerminalState } from '../../contract/run.ts';
import { EXECUTIONS_SHOWN } from '../../contract/run.ts';
import { readableBy, type Reader } from '../keys/spaces.ts';
import type { Db } from '../tables.ts';
import { isRunId, type RunRow } from './find-run.ts';

/** An execution as read from JSON. */
export interface ToldExecution {
  number: number;
  queued_at: string;
  started_at: string | null;
  ended_at: string | null;
  worker_id: string | null;
  harness: string | null;
  outcome: TerminalState | null;
  status_message: StatusMessage | null;
  usage: RequestUsage | null;
}

/**
 * What is read of a run's executions: totals over all of them, and the latest ones, oldest first.
 */
export interface ExecutionsRead {
  started_at: string | null;
  worked_ms: number | null;
  latest: ToldExecution[];
}

/** The columns of a run that the API returns. */
export type ItemRow = Pick<RunRow, (typeof COLUMNS)[number]> & { executions: ExecutionsRead };

const COLUMNS = [
  'id',
  'team_id',
  'owner_uid',
  'root_run_id',
  'parent_run_id',
  'conversation_id',
  'title',
  'prompt',
  'mode',
  'state',
  'status_message',
  'created_at',
  'updated_at',
  'queued_at',
  'finished_at',
  'source',
  'execution_location',
  'schedule',
  'trigger_url',
  'creator',
  'executor',
  'usage',
  'config',
  'skill_spec',
  'skill',
  'worker_host',
  'metadata',
  'lane',
  'attempt',
  'reopened',
  'lines_added',
  'lines_removed',
] as const satisfies (keyof RunRow)[];

const EXECUTIONS = sql`(
  select json_build_object(
    'started_at', min(e.started_at),
    'worked_ms', extract(epoch from sum(e.ended_at - e.started_at)) * 1000,
    'latest', coalesce(json_agg(json_build_object(
      'number', e.number, 'queued_at', e.queued_at, 'started_at', e.started_at,
      'ended_at', e.ended_at, 'worker_id', e.worker_id, 'outcome', e.outcome,
      'status_message', e.status_message, 'usage', e.usage,
      'harness', coalesce(e.harness, case when e.started_at is not null and e.ended_at is null then (
        select log.data ->> 'harness' from run_events log
        where log.run_id = e.run_id and log.type = 'agent_started' and log.position > e.log_from
        order by log.position desc limit 1) end)
    ) order by e.number) filter (where e.number > r.reopened + 1 - ${sql.lit(EXECUTIONS_SHOWN)}), '[]'))
  from executions e where e.run_id = r.id)`;

/** The SQL for these columns, from `runs r`. */
export const ITEM_COLUMNS: RawBuilder<unknown> = sql`${sql.join(
  COLUMNS.map((column) => sql.ref(`r.${column}`)),
)}, ${EXECUTIONS} as executions`;

/** Reads a run for the API; undefined if the reader may not see it. */
export async function findItem(
  db: Db,
  reader: Reader,
  runId: string,
): Promise<ItemRow | undefined> {
  if (!isRunId(runId)) return undefined;
  const { rows } = await sql<ItemRow>`
    select ${ITEM_COLUMNS} from runs r where r.id = ${runId}
      and r.team_id = any(${readableBy(reader)}::uuid[])`.execute(db);
  return rows[0];
}
