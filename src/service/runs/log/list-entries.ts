import { sql, type RawBuilder } from 'kysely';
import type { z } from 'zod';
import {
  ENTRY_EVENTS_MAX,
  type ListEntriesResponse,
  type LogEvent,
  type RunEntry,
  type listEntriesQuery,
} from '../../../contract/entry.ts';
import type { Db } from '../../tables.ts';
import { findEntries, type EntryHead } from './find-entries.ts';

type Query = z.output<typeof listEntriesQuery>;
/**
 * Most new rows that one answer looks at; a caller that follows the log gets the rest next time.
 */
const TOUCHED_ROWS_MAX = 2000;

interface EventRow extends EntryHead {
  seq: number | null;
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

/** Types that are rare even in long logs; they have an index of their own. */
const RARE = ['plan', 'changes', 'agent_started'];
const IS_RARE = sql`and head.type in ('plan', 'changes', 'agent_started')`;

/**
 * How many positions are searched at first; the window grows fourfold until enough entries are
 * found.
 */
const FIRST_WINDOW = 1000;

interface Touched {
  /** The last row that was looked at. */
  scanned: number | null;
  head: (EntryHead & { first_touched: number }) | null;
}

/**
 * One part of a run's log, by entries (contract entry.ts). The caller has checked who may read it.
 */
export async function listEntries(
  db: Db,
  runId: string,
  query: Query,
): Promise<ListEntriesResponse> {
  if (query.after !== undefined) {
    const { heads, nextAfter } = await headsAfter(db, runId, query);
    const entries = heads.length > 0 ? await readEntries(db, runId, heads) : [];
    return { entries, has_earlier: (entries[0]?.position ?? 1) > 1, next_after: nextAfter };
  }
  const nextAfter = await lastPosition(db, runId);
  if (query.q !== undefined || query.failed) return soughtEntries(db, runId, query, nextAfter);
  if (query.from !== undefined) {
    const found = await headsFrom(db, runId, query, query.from, nextAfter);
    const entries =
      found.length > 0 ? await readEntries(db, runId, found.slice(0, query.limit)) : [];
    return {
      entries,
      has_earlier: query.from > 1,
      has_later: found.length > query.limit,
      next_after: nextAfter,
    };
  }
  const before = Math.min(query.before ?? Infinity, nextAfter + 1);
  const found = await headsBefore(db, runId, query, before);
  const heads = found.slice(0, query.limit);
  return {
    entries: heads.length > 0 ? await readEntries(db, runId, heads) : [],
    has_earlier: found.length > heads.length,
    next_after: nextAfter,
  };
}

async function soughtEntries(
  db: Db,
  runId: string,
  { from, before, ...query }: Query,
  nextAfter: number,
): Promise<ListEntriesResponse> {
  const end = Math.min(before ?? Infinity, nextAfter + 1);
  const { heads, searchedTo } = await findEntries(db, runId, { ...query, from, before: end });
  const isMore = heads.length === query.limit || searchedTo !== undefined;
  return {
    entries: heads.length > 0 ? await readEntries(db, runId, heads) : [],
    has_earlier: from === undefined ? isMore : from > 1,
    ...(from === undefined ? {} : { has_later: isMore }),
    ...(searchedTo === undefined ? {} : { searched_to: searchedTo }),
    next_after: nextAfter,
  };
}

function ofTypes(types: Query['type']): RawBuilder<unknown> {
  if (!types) return sql``;
  const rare = types.every((type) => RARE.includes(type)) ? IS_RARE : sql``;
  return sql`and head.type = any(${types}) ${rare}`;
}

/** Heads of entries between two positions: the latest, newest first, or the earliest in order. */
async function headsBetween(
  db: Db,
  runId: string,
  { from, before }: { from: number; before: number },
  { type, limit }: Pick<Query, 'type' | 'limit'>,
  which: 'latest' | 'earliest' = 'latest',
): Promise<EntryHead[]> {
  const order = which === 'latest' ? sql`desc` : sql`asc`;
  const { rows } = await sql<EntryHead>`
    select head.position, head.attempt, head.entry_key from (
      select position, attempt, entry_key from run_events head
      where run_id = ${runId} and position >= ${from} and position < ${before} ${ofTypes(type)}
      order by position ${order}
    ) head
    where head.entry_key is null or not exists (
      select 1 from run_events earlier
      where earlier.run_id = ${runId} and earlier.attempt = head.attempt
        and earlier.entry_key = head.entry_key and earlier.position < head.position)
    order by head.position ${order} limit ${limit}`.execute(db);
  return rows;
}

/**
 * Heads of the latest entries before a position, newest first; one more than asked for. Positions
 * have no gaps, so the window limits the work even if the planner has no statistics for the log.
 */
async function headsBefore(
  db: Db,
  runId: string,
  query: Query,
  before: number,
): Promise<EntryHead[]> {
  const wanted = { type: query.type, limit: query.limit + 1 };
  let window = query.type ? before : FIRST_WINDOW;
  for (;;) {
    const from = Math.max(0, before - window);
    const heads = await headsBetween(db, runId, { from, before }, wanted);
    if (heads.length === wanted.limit || from === 0) return heads;
    window *= 4;
  }
}

/** Heads of the earliest entries from a position on; one more than asked for. */
async function headsFrom(db: Db, runId: string, query: Query, from: number, end: number) {
  const wanted = { type: query.type, limit: query.limit + 1 };
  for (let window = FIRST_WINDOW; ; window *= 4) {
    const before = Math.min(end + 1, from + window);
    const heads = await headsBetween(db, runId, { from, before }, wanted, 'earliest');
    if (heads.length === wanted.limit || before > end) return heads;
  }
}

/**
 * Heads of the entries that changed after a position, in that order, and how far this answer got.
 */
async function headsAfter(
  db: Db,
  runId: string,
  { after = 0, limit, type }: Query,
): Promise<{ heads: EntryHead[]; nextAfter: number }> {
  const { rows } = await sql<Touched>`
    with touched as (
      select position, attempt, entry_key from run_events
      where run_id = ${runId} and position > ${after} order by position limit ${TOUCHED_ROWS_MAX}
    ), heads as (
      select head.position, touched.attempt, touched.entry_key,
        min(touched.position) as first_touched
      from touched cross join lateral (
        select position, type from run_events head
        where head.run_id = ${runId} and head.position = touched.position
          and touched.entry_key is null
        union all
        (select position, type from run_events head
        where head.run_id = ${runId} and head.attempt = touched.attempt
          and head.entry_key = touched.entry_key
        order by position limit 1)
      ) head
      where true ${ofTypes(type)}
      group by head.position, touched.attempt, touched.entry_key
      order by first_touched limit ${limit + 1}
    )
    select (select max(position) from touched) as scanned, to_jsonb(heads) as head
    from (select 1) one left join heads on true`.execute(db);
  const heads = rows.flatMap((row) => row.head ?? []);
  const left = heads[limit];
  return {
    heads: heads.slice(0, limit),
    // The next request starts at the first change of what did not fit.
    nextAfter: left ? left.first_touched - 1 : (rows[0]?.scanned ?? after),
  };
}

/** All events of these entries; of a long entry the first and the last ones. */
async function readEvents(db: Db, runId: string, heads: EntryHead[]): Promise<EventRow[]> {
  const keyed = heads.filter((head) => head.entry_key !== null);
  const { rows } = await sql<EventRow>`
    select position, attempt, entry_key, seq, type, at, data from run_events
    where run_id = ${runId} and position = any(${heads.map((head) => head.position)}::bigint[])
    union all
    select event.position, event.attempt, event.entry_key, event.seq, event.type, event.at, event.data
    from unnest(
      ${keyed.map((head) => head.position)}::bigint[],
      ${keyed.map((head) => head.attempt)}::int[],
      ${keyed.map((head) => head.entry_key)}::text[]
    ) as head (position, attempt, entry_key)
    cross join lateral (
      select * from run_events event
      where event.run_id = ${runId} and event.attempt = head.attempt
        and event.entry_key = head.entry_key and event.position > head.position
      order by event.position desc limit ${ENTRY_EVENTS_MAX - 1}
    ) event
    order by position`.execute(db);
  return rows;
}

/** An event of the contract, from its row's columns and data. */
function toEvent(row: EventRow): LogEvent {
  const { seq, type, at, data } = row;
  return { ...data, type, at: at.toISOString(), ...(seq === null ? {} : { seq }) } as LogEvent;
}

function entryName(row: EntryHead): string {
  return row.entry_key === null ? `${row.position}` : `${row.attempt}/${row.entry_key}`;
}

async function readEntries(db: Db, runId: string, heads: EntryHead[]): Promise<RunEntry[]> {
  const entries = new Map<string, RunEntry>();
  for (const row of await readEvents(db, runId, heads)) {
    const { position, attempt } = row;
    const entry = entries.get(entryName(row));
    if (entry) {
      entry.events.push(toEvent(row));
      entry.last_position = position;
    } else {
      entries.set(entryName(row), {
        position,
        last_position: position,
        attempt,
        events: [toEvent(row)],
      });
    }
  }
  return [...entries.values()];
}

/**
 * The last position of a run's log. Read before the events, so that events that arrive meanwhile
 * are sent twice rather than never.
 */
async function lastPosition(db: Db, runId: string): Promise<number> {
  const run = await db
    .selectFrom('runs')
    .where('id', '=', runId)
    .select('log_position')
    .executeTakeFirst();
  return run?.log_position ?? 0;
}
