import { batched } from '../../base/batch.ts';
import type { RunState } from '../../contract/run.ts';
import { isDatabaseUnavailable, retryConflicts } from '../../database/failure.ts';
import { COMPLETING_JOBS, IS_HELD, IS_JOB, JOBS } from '../../database/job-statements.ts';
import type { Database } from '../../database/open-database.ts';
import { isGoodHash } from '../keys/key-text.ts';
import type { NewEvent } from '../runs/log/append.ts';
import type { ServiceTables } from '../tables.ts';

/**
 * A worker's report on its run: what the run must look like, and what to change. Undefined fields
 * stay unchanged.
 */
export interface Word {
  run: string;
  /** Team of the worker's key; null if it serves every team. */
  team: string | null;
  /** Hash of that key in hex, if the statement has to check it. */
  key: string | undefined;
  /** Hash of the lease's token in hex, as in `runs.lease_hash`. */
  token: string;
  from: RunState;
  to?: RunState;
  lines: readonly NewEvent[];
  /** The sequence number that the log must expect next. */
  next_seq?: number;
  /** Whether the change is in the timeline and so updates `updated_at`. */
  shown: boolean;
  begins?: boolean;
  ends?: boolean;
  status?: object;
  resume?: object;
  usage?: object | undefined;
}

const WORDS_MAX = 50;
const BYTES_MAX = 4 * 1024 * 1024;

const IS_AS_SAID = `r.id = w.run and r.lease_hash = decode(w.token, 'hex') and r.state = w."from"
  and (w.team is null or r.team_id = w.team
    or exists (select from spaces s where s.id = r.team_id and s.team_id = w.team))
  and ${isGoodHash('w.key')}`;
const MOMENT = `greatest(clock.moment, r.updated_at + interval '1 ms')`;

/**
 * Writes each report completely or not at all: the run, its log, its job and its own keys. A report
 * whose run does not match changes nothing. Job rows are locked before runs (decisions.md D2).
 */
const WRITE = `
  with word as (
    select * from json_to_recordset($1) as word (place integer, run uuid, team uuid, key text, token text,
      "from" text, "to" text, lines jsonb, count integer, next_seq integer, sent integer, shown boolean,
      begins boolean, ends boolean, status jsonb, resume jsonb, usage jsonb)),
  ending as materialized (
    select w.*, j.id as job from word w join runs r on ${IS_AS_SAID} join ${JOBS} j on ${IS_JOB} and ${IS_HELD}
    where w.ends and r.last_signal = 0
    for update of j, r),
  going as materialized (
    select w.*, null::uuid as job from word w join runs r on ${IS_AS_SAID}
    where w.ends is null and (w.next_seq is null or r.log_next_seq = w.next_seq)
    for update of r),
  changed as (
    update runs r set state = coalesce(w."to", r.state),
      updated_at = case when w.shown then ${MOMENT} else r.updated_at end,
      started_at = case when w.begins then ${MOMENT} else r.started_at end,
      finished_at = case when w.ends then ${MOMENT} when not w.begins then r.finished_at end,
      ended_attempt = case when w.ends then r.attempt else r.ended_attempt end,
      status_message = coalesce(w.status, case when w.begins then null else r.status_message end),
      resume = case when w.ends then coalesce(r.resume, '{}') || w.resume
        || jsonb_build_object('worker_id', r.lease_worker) else r.resume end,
      usage = coalesce(w.usage, r.usage),
      log_position = r.log_position + w.count, log_next_seq = r.log_next_seq + w.sent
    from (select * from ending union all select * from going) w,
      (select clock_timestamp() as moment) clock
    where r.id = w.run
    returning w.place, w.lines, w.ends, w.job, clock.moment, r.id, r.team_id, r.attempt, r.log_position,
      r.updated_at, r.started_at),
  logged as (
    insert into run_events (run_id, position, attempt, seq, type, at, entry_key, data, raw)
    select id, log_position - line.back, attempt, line.seq, line.type,
      case when line.at is null then updated_at
        else least(greatest(line.at, started_at), greatest(moment, started_at)) end,
      line.entry_key, line.data, line.raw
    from changed, jsonb_to_recordset(lines) as line (back integer, seq integer, type text,
      at timestamptz, entry_key text, data jsonb, raw text)),
  done as (select id, job from changed where ends),
  completed as (${COMPLETING_JOBS}),
  unkeyed as (
    update api_keys k set revoked_at = now() from done
    where k.run_id = done.id and k.kind = 'run' and k.revoked_at is null)
  select place, team_id from changed`;

/**
 * Writes a worker's report; reports that arrive together share one statement. Returns the run's
 * team; undefined, with nothing changed, if the run does not match or the case is not a simple one.
 */
export function createWordWriter({
  steadyPool,
}: Pick<Database<ServiceTables>, 'steadyPool'>): (word: Word) => Promise<string | undefined> {
  const write = batched<string, string | undefined>(
    async (words) => {
      const placed = words.map((text, place) => `{"place":${place},${text.slice(1)}`);
      const { rows } = await steadyPool.query<{ place: number; team_id: string }>({
        name: 'runlink_words',
        text: WRITE,
        values: [`[${placed.join(',')}]`],
      });
      const teams = new Map(rows.map(({ place, team_id }) => [words[place], team_id]));
      return (text) => teams.get(text);
    },
    {
      max: WORDS_MAX,
      maxBytes: BYTES_MAX,
      bytesOf: (text) => text.length,
      isOneAtFault: (error) => !isDatabaseUnavailable(error),
    },
  );
  return (word) => retryConflicts(() => write(textOf(word)));
}

/** A report in the statement's JSON form; serialised only once. */
function textOf({ lines, ...word }: Word): string {
  const last = lines.length - 1;
  return JSON.stringify({
    ...word,
    lines: lines.map((line, index) => ({ ...line, back: last - index })),
    count: lines.length,
    sent: word.next_seq === undefined ? 0 : lines.length,
    begins: word.begins ?? false,
  });
}
