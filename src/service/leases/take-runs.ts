import { batched } from '../../base/batch.ts';
import { TAKING_JOBS } from '../../database/job-statements.ts';
import { isDatabaseUnavailable } from '../../database/failure.ts';
import type { Database } from '../../database/open-database.ts';
import { hmacPads, runKeyInSql } from '../keys/key-text.ts';
import type { RunRow } from '../runs/find-run.ts';
import { TRANSITIONS } from '../runs/life/state-machine.ts';
import type { ServiceTables } from '../tables.ts';

/** A worker's wish for a run. */
export interface Ask {
  /** Undefined: of the pool's lanes the next one in turn that has waiting runs. */
  lane: number | undefined;
  worker: string;
  /** Of the lease it will have. */
  tokenHash: Buffer;
}

/** What a wish came to: nothing waited; or a job, with its run if that still waited. */
export interface Taken {
  /** The lane that was looked into; null where none had anything. */
  lane: number | null;
  job: { id: string; retryCount: number } | undefined;
  run: RunRow | undefined;
}

const AT_ONCE_MAX = 50;
const { from, to, event } = TRANSITIONS.claim;

/**
 * Claims for several workers. Lanes of the pool take turns, from the one after `$2` on, so that a team
 * with many waiting runs holds up no other: `ring` steps from one waiting lane to the next by an index,
 * and past the last one begins again. Jobs are locked before runs, as everywhere (decisions.md D2).
 */
const TAKE = `
  with recursive ask as (
    select * from json_to_recordset($1) as ask (place integer, turn integer, lane integer, worker text, token text)),
  ring (lane, lap, pool, found) as (
    select $2::integer, 0, false, 0 where $3::integer > 0
    union all
    select coalesce(next.lane, 0), lap + (next.lane is null)::integer, coalesce(next.pool, false),
      found + coalesce(next.pool, false)::integer
    from ring left join lateral (
      select r.lane, l.worker_host = '' as pool from runs r join lanes l on l.id = r.lane
      where r.state = '${from[0]}' and r.lane > ring.lane order by r.lane limit 1) next on true
    where found < $3 and (lap = 0 or lap = 1 and ring.lane < $2)),
  waiting as (select lane, found - 1 as turn from ring where pool and (lap = 0 or lane <= $2)),
  seat as (
    select place, worker, token, lane, row_number() over (partition by lane order by place) as number
    from (
      select place, worker, token, coalesce(a.lane, w.lane) as lane from ask a
      left join waiting w on a.lane is null and w.turn = a.turn % (select count(*) from waiting)) placed),
  wanted as (select lane, count(*) as seats from seat where lane is not null group by lane),
  ${TAKING_JOBS},
  dealt as (
    select place, worker, token, j.id, j.retry_count, j.run from seat
    join (
      select *, (data ->> 'runId')::uuid as run,
        row_number() over (partition by lane order by created_on) as number from job) j
      using (lane, number)),
  held as (
    update runs r set state = '${to}', attempt = r.attempt + 1, job_retry = d.retry_count,
      lease_hash = decode(d.token, 'hex'), lease_worker = d.worker, log_next_seq = 1, cancel_signal = null,
      claim_signal = r.last_signal, log_position = r.log_position + 1,
      updated_at = greatest(clock_timestamp(), r.updated_at + interval '1 ms')
    from dealt d where r.id = d.run and r.job_id = d.id and r.state = '${from[0]}'
    returning d.place, r.*),
  logged as (
    insert into run_events (run_id, position, attempt, type, at, data)
    select id, log_position, attempt, 'lifecycle', updated_at, jsonb_build_object(
      'event_type', '${event}', 'payload', jsonb_build_object('worker_id', lease_worker)) from held),
  told as (
    update run_followups f set taken_attempt = h.attempt from held h
    where h.reopened > 0 and f.run_id = h.id and f.taken_attempt is null),
  keyed as (
    insert into api_keys (id, hash, kind, name, prefix, suffix, team_id, run_id, created_at)
    select gen_random_uuid(), sha256(convert_to(key, 'UTF8')), 'run', 'run ' || id, left(key, 7),
      right(key, 4), team_id, id, now()
    from (select *, ${runKeyInSql('held.id', 'held.attempt', '$4', '$5')} as key from held) h)
  select seat.place as at, seat.lane as looked, dealt.id as taken, dealt.retry_count, held.*
  from seat left join dealt on dealt.place = seat.place left join held on held.place = seat.place`;

type Row = { at: number; looked: number | null; taken: string | null; retry_count: number } & (
  RunRow | { id: null }
);

function takenOf(row: Row): Taken {
  const { looked, taken, retry_count } = row;
  const job = taken === null ? undefined : { id: taken, retryCount: retry_count };
  return { lane: looked, job, run: row.id === null ? undefined : row };
}

/** Takes a run in a statement shared with the workers that ask at the same time. */
export function createTaker(
  { steadyPool }: Pick<Database<ServiceTables>, 'steadyPool'>,
  runKeySecret: string,
): (ask: Ask) => Promise<Taken> {
  const pads = hmacPads(runKeySecret);
  let lastLane = 0;
  return batched<Ask, Taken>(
    async (asks) => {
      let turns = 0;
      const rows = asks.map(({ lane, worker, tokenHash }, place) => ({
        place,
        turn: lane === undefined ? turns++ : null,
        lane,
        worker,
        token: tokenHash.toString('hex'),
      }));
      const result = await steadyPool.query<Row>({
        name: 'runlink_take',
        text: TAKE,
        values: [JSON.stringify(rows), lastLane, turns, ...pads],
      });
      const taken = new Map(result.rows.map((row) => [asks[row.at], takenOf(row)]));
      const lastInTurn = asks.findLast(({ lane }) => lane === undefined);
      lastLane = (lastInTurn && taken.get(lastInTurn)?.lane) ?? lastLane;
      return (ask) => taken.get(ask) ?? { lane: null, job: undefined, run: undefined };
    },
    {
      max: AT_ONCE_MAX,
      maxBytes: Infinity,
      bytesOf: () => 0,
      isOneAtFault: (error) => !isDatabaseUnavailable(error),
    },
  );
}
