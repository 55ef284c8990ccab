import { sql, type RawBuilder, type UpdateObject } from 'kysely';
import type { ServiceTables, Trx } from '../../tables.ts';
import { announcement, type Topic } from '../../waiting/changes.ts';

/**
 * The time of a change: later than every earlier change of this run, even if the clock goes back.
 */
export const CHANGED_AT = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 ms')`;

/**
 * The same within `appendToLog`, where the log and all columns set to it get exactly the same time.
 */
export const MOMENT = sql<Date>`greatest(clock.moment, runs.updated_at + interval '1 ms')`;

/** A line of a run's log that has no position yet. */
export interface NewEvent {
  type: string;
  /** Default: when the run changes. */
  at?: string;
  /** Its number in the worker's own sequence. */
  seq?: number;
  /** Key of its entry, shared by all lines about the same thing (contract/entry.ts). */
  entry_key?: string | null;
  data: Record<string, unknown>;
  raw?: string | null;
}

interface Append {
  events: readonly NewEvent[];
  /** Further columns of the run to change. */
  set?: Omit<UpdateObject<ServiceTables, 'runs'>, 'log_position' | 'id'>;
  announce: readonly Topic[];
}

/**
 * Adds lines to a run's log, changes the run and notifies those who wait. One statement in the
 * caller's transaction, which has locked the run's row (run-lifecycle.md, "The log").
 */
export async function appendToLog(
  trx: Trx,
  runId: string,
  { events, set, announce }: Append,
): Promise<void> {
  await trx
    .with('changed', (q) =>
      q
        .updateTable('runs')
        .from(sql<{ moment: Date }>`(select clock_timestamp() as moment)`.as('clock'))
        .set({ ...set, log_position: sql<number>`log_position + ${events.length}` })
        .where('runs.id', '=', runId)
        .returning(['runs.id', 'runs.log_position', 'runs.updated_at', 'runs.attempt']),
    )
    .with('logged', (q) => q.insertInto('run_events').columns(LINE).expression(linesOf(events)))
    .selectNoFrom(announcement(announce).as('announced'))
    .execute();
}

const LINE = [
  'run_id',
  'position',
  'attempt',
  'seq',
  'type',
  'at',
  'entry_key',
  'data',
  'raw',
] as const;

function linesOf(events: readonly NewEvent[]): RawBuilder<unknown> {
  const lines = events.map((event, index) => ({ ...event, back: events.length - 1 - index }));
  return sql`
    select id, log_position - line.back, greatest(attempt, 1), line.seq, line.type,
      coalesce(line.at, updated_at), line.entry_key, line.data, line.raw
    from changed, jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as line (
      back integer, seq integer, type text, at timestamptz, entry_key text, data jsonb, raw text)`;
}

/**
 * Inserts the first line of a run's log, as part of the statement that inserts the runs of
 * `created`.
 */
export const FIRST_LINES = `
  insert into run_events (run_id, position, attempt, type, at, data)
  select id, 1, 1, 'lifecycle', created_at, '{"event_type":"oz_run_created"}' from created`;
