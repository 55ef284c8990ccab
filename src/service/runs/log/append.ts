import { sql, type RawBuilder, type Transaction, type UpdateObject } from 'kysely';
import type { ServiceTables } from '../../tables.ts';
import { announcement, type Topic } from '../../waiting/changes.ts';

/** The moment of a change: later than every change of this run before it, whatever the clock does. */
export const CHANGED_AT = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 ms')`;

/** The same within `appendToLog`: one moment for the log and for all columns that are set to it. */
export const MOMENT = sql<Date>`greatest(clock.moment, runs.updated_at + interval '1 ms')`;

/** One line of a run's log before it has its place. */
export interface NewEvent {
  type: string;
  /** When the run changes, where absent. */
  at?: string;
  /** Its place in a worker's own count. */
  seq?: number;
  /** What it is about, with others (contract/entry.ts). */
  entry_key?: string | null;
  data: Record<string, unknown>;
  raw?: string | null;
}

interface Append {
  events: readonly NewEvent[];
  /** Columns of the run that change along. */
  set?: Omit<UpdateObject<ServiceTables, 'runs'>, 'log_position' | 'id'>;
  announce: readonly Topic[];
}

/**
 * Adds lines to a run's log, together with what changes of the run and the call to those who wait. It is one
 * statement in the caller's transaction, which holds the run's row (run-lifecycle.md, "The log").
 */
export async function appendToLog(
  trx: Transaction<ServiceTables>,
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

/** What a run's log begins with, as part of the statement that makes the runs of `created`. */
export const FIRST_LINES = `
  insert into run_events (run_id, position, attempt, type, at, data)
  select id, 1, 1, 'lifecycle', created_at, '{"event_type":"oz_run_created"}' from created`;
