import { sql, type RawBuilder } from 'kysely';
import { ENTRY_EVENTS_MAX } from '../../../contract/entry.ts';
import type { Db } from '../../tables.ts';

/** Limits of one search: lines of the log, fewer at first, and their stored size. */
const LINES_FIRST = 5_000;
const LINES_MAX = 200_000;
const BYTES_MAX = 32 * 1024 * 1024;
const COLOURS = String.raw`\x1b\[[0-9;?]*[a-z]`;

/** What to search for, forward from a position or backward from one. */
export interface Sought {
  q?: string | undefined;
  failed?: boolean | undefined;
  type?: string[] | undefined;
  from?: number | undefined;
  before: number;
  limit: number;
}

/** The first position of an entry, and what its events share. */
export interface EntryHead {
  position: number;
  attempt: number;
  /** Null if the event is an entry of its own. */
  entry_key: string | null;
}

export interface Found {
  heads: EntryHead[];
  /** The last position that was searched, if there are more. */
  searchedTo?: number;
}

/**
 * The text of an entry in lower case: its pieces joined, and the names, inputs and paths of its
 * calls; without the files of `changes` and raw lines.
 */
const WORDS = sql`lower(concat(string_agg(coalesce(said.delta, said.output_delta), '' order by position),
  E'\n', string_agg(concat_ws(E'\n', said.title, said.name, said.text, said.message, said.output,
    said.input ->> 'command', said.input, said.paths, said.diff ->> 'path', said.diff ->> 'old_text',
    said.diff ->> 'new_text'), E'\n')))`;

const ENTRY = sql`coalesce(entry_key, position::text) collate "C"`;
const HAS_FAILED = sql`bool_or(type in ('tool_call', 'setup') and (data ->> 'is_error' = 'true'
  or data ->> 'status' = 'failed' or coalesce(data ->> 'exit_code', '0') <> '0'))`;

/** Finds matching entries of a run: the next ones from a position, or the latest before one. */
export async function findEntries(db: Db, runId: string, sought: Sought): Promise<Found> {
  const near = await findAmong(db, runId, sought, LINES_FIRST);
  const isDone = near.heads.length === sought.limit || near.searchedTo === undefined;
  return isDone ? near : findAmong(db, runId, sought, LINES_MAX);
}

async function findAmong(db: Db, runId: string, sought: Sought, lines: number): Promise<Found> {
  const { q, from, before, limit } = sought;
  const [order, last] = from === undefined ? [sql`desc`, sql`min`] : [sql`asc`, sql`max`];
  const { rows } = await sql<Partial<EntryHead> & { looked: number | null }>`
    with looked as (
      select * from (
        select position, attempt, entry_key, type, data,
          sum(pg_column_size(data)) over (order by position ${order}) as bytes
        from (select * from run_events
          where run_id = ${runId} and position >= ${from ?? 0} and position < ${before}
          order by position ${order} limit ${lines}) lines) sized
      where bytes <= ${BYTES_MAX}),
    numbered as (
      select *, row_number() over (
        partition by attempt, ${ENTRY} order by position) as number
      from looked where type not in ('changes', 'protocol', 'usage', 'lifecycle', 'turn_end')),
    entries as (
      select min(position) as position, attempt, min(entry_key) as entry_key,
        (array_agg(type order by position))[1] as type, ${HAS_FAILED} as has_failed,
        ${q === undefined ? sql`''` : WORDS} as words
      from numbered cross join lateral jsonb_to_record(data) as said (delta text, output_delta text,
        title text, name text, text text, message text, output text, input jsonb, paths text, diff jsonb)
      where number <= ${ENTRY_EVENTS_MAX}
      group by attempt, ${ENTRY}),
    found as (
      select position, attempt, entry_key from entries
      where ${conditionsOf(sought)}
        and not exists (select from run_events earlier
          where earlier.run_id = ${runId} and earlier.attempt = entries.attempt
            and earlier.entry_key = entries.entry_key and earlier.position < entries.position)
      order by position ${order} limit ${limit})
    select found.*, (select ${last}(position) from looked) as looked
    from (select 1) one left join found on true`.execute(db);
  const heads = rows.flatMap(({ position, attempt, entry_key: key }) =>
    position && attempt ? [{ position, attempt, entry_key: key ?? null }] : [],
  );
  const looked = rows[0]?.looked ?? null;
  return { heads, ...(looked === null || isEnd(looked, sought) ? {} : { searchedTo: looked }) };
}

function conditionsOf({ q, failed, type }: Sought): RawBuilder<unknown> {
  const conditions = [
    ...(failed ? [sql`has_failed`] : []),
    ...(q === undefined ? [] : [saysAll(q)]),
    ...(type ? [sql`type = any(${type})`] : []),
  ];
  return sql.join(conditions, sql` and `);
}

function isEnd(looked: number, { from, before }: Sought): boolean {
  return from === undefined ? looked <= 1 : looked >= before - 1;
}

function like(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/**
 * Colour codes may stand between words. They are removed only from texts that contain all the
 * words, because that is slow.
 */
function saysAll(q: string): RawBuilder<unknown> {
  const parts = q.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const each = (parts.length > 0 ? parts : [q]).map((part) => sql`words like lower(${like(part)})`);
  return sql`${sql.join(each, sql` and `)} and (words like lower(${like(q)})
    or strpos(words, E'\x1b') > 0 and regexp_replace(words, ${COLOURS}, '', 'g') like lower(${like(q)}))`;
}
