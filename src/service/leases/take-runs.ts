import { batched } from '../../base/batch.ts';
import { IN_TURN, IS_WAITING, JOBS, TAKING_JOBS } from '../../database/job-statements.ts';
import { isDatabaseUnavailable } from '../../database/failure.ts';
import type { Database } from '../../database/open-database.ts';
import { hmacPads, isGoodHash } from '../keys/key-text.ts';
import type { RunRow } from '../runs/find-run.ts';
import { TRANSITIONS } from '../runs/life/state-machine.ts';
import type { ServiceTables } from '../tables.ts';
import { tracksOf, type Ask, type Offer, type Taken } from './ask.ts';
import { holdingRuns } from './hold-runs.ts';
import { takeInEnvironment } from './take-in-environment.ts';

const AT_ONCE_MAX = 50;
/** Most offers whose turns are remembered; a service's workers have few different ones. */
const OFFERS_MAX = 1000;
const { from } = TRANSITIONS.claim;

/**
 * Claims runs for several workers at once. Workers with the same offer take turns: they go through
 * the pool's lanes one after the other, starting after `start`, so that a team with many waiting
 * runs does not hold up the others. `ring` steps from one waiting lane to the next by an index, and
 * starts again after the last one. Within a lane, the longest waiting runs of the offered tracks
 * are taken. Jobs are locked before runs, as everywhere (decisions.md D2).
 */
const TAKE = `
  with recursive ask as (
    select * from json_to_recordset($1) as ask (
      place integer, kind integer, turn integer, lane integer, worker text, token text, key text)
    where ${isGoodHash('key')}),
  offer as (
    select * from json_to_recordset($2) as offer (
      kind integer, harnesses text[], unnamed boolean, start integer, turns integer)),
  ring (kind, lane, lap, fits, found) as (
    select kind, start, 0, false, 0 from offer where turns > 0
    union all
    select kind, coalesce(next.lane, 0), lap + (next.lane is null)::integer, coalesce(next.fits, false),
      found + coalesce(next.fits, false)::integer
    from ring join offer o using (kind) left join lateral (
      select r.lane, l.worker_host = '' and exists (
        select from ${tracksOf('r.lane', 'o')} join ${JOBS} w on w.priority = track and ${IS_WAITING}) as fits
      from runs r join lanes l on l.id = r.lane
      where r.state = '${from[0]}' and r.lane > ring.lane order by r.lane limit 1) next on true
    where found < turns and (lap = 0 or lap = 1 and ring.lane < start)),
  waiting as (
    select kind, lane, found - 1 as turn, count(*) over (partition by kind) as lanes
    from ring join offer using (kind) where fits and (lap = 0 or lane <= start)),
  seat as (
    select place, kind, worker, token, lane, row_number() over (partition by kind, lane order by place) as number
    from (
      select place, a.kind, worker, token, coalesce(a.lane, w.lane) as lane from ask a
      left join waiting w on a.lane is null and w.kind = a.kind and w.turn = a.turn % w.lanes) placed),
  head as (
    select kind, lane, track, row_number() over (partition by kind, lane order by created_on) as number
    from (select kind, lane, count(*) as seats from seat where lane is not null group by kind, lane) s
    join offer o using (kind)
    cross join lateral (
      select track, created_on from ${tracksOf('s.lane', 'o')} cross join lateral (
        select created_on from ${JOBS} w where ${IS_WAITING} and w.priority = track
        order by ${IN_TURN} limit s.seats) eldest
      order by created_on limit s.seats) longest),
  shown as (
    select place, worker, token, track, row_number() over (partition by track order by place) as number
    from seat join head using (kind, lane, number)),
  wanted as (select track, count(*) as seats from shown group by track),
  ${TAKING_JOBS},
  dealt as (
    select place, worker, token, j.id, j.retry_count, j.run from shown
    join (
      select *, (data ->> 'runId')::uuid as run,
        row_number() over (partition by track order by created_on) as number from job) j
      using (track, number)),
  ${holdingRuns('$3', '$4')}
  select seat.place as at, seat.lane as looked, dealt.id as taken, dealt.retry_count, held.*
  from seat left join dealt on dealt.place = seat.place left join held on held.place = seat.place`;

/** The requests with the same offer, and the lane after which their turns start. */
type Kind = Offer & { kind: number; start: number; turns: number };
type TakenRow = { at: number; looked: number | null; taken: string | null; retry_count: number } & (
  | RunRow
  | { id: null }
);

/** Claims runs; workers that ask at the same time share a statement. */
export function createTaker(
  database: Pick<Database<ServiceTables>, 'steadyPool'>,
  runKeySecret: string,
): (ask: Ask) => Promise<Taken> {
  const pads = hmacPads(runKeySecret);
  const lastLanes = new Map<string, number>();
  const takeAny = batched<Ask, Taken>(
    async (asks) => {
      const kinds = new Map<string, Kind>();
      const rows = asks.map(({ lane, worker, key, tokenHash, offer }, place) => {
        const name = JSON.stringify(offer);
        const kind = kinds.get(name) ?? {
          kind: kinds.size,
          ...offer,
          start: lastLanes.get(name) ?? 0,
          turns: 0,
        };
        kinds.set(name, kind);
        const turn = lane === undefined ? kind.turns++ : null;
        return {
          place,
          kind: kind.kind,
          turn,
          lane,
          worker,
          key,
          token: tokenHash.toString('hex'),
        };
      });
      const result = await database.steadyPool.query<TakenRow>({
        name: 'runlink_take',
        text: TAKE,
        values: [JSON.stringify(rows), JSON.stringify([...kinds.values()]), ...pads],
      });
      const taken = new Map(result.rows.map((row) => [asks[row.at], takenOf(row)]));
      if (lastLanes.size > OFFERS_MAX) lastLanes.clear();
      for (const ask of asks) {
        const lane = ask.lane === undefined ? taken.get(ask)?.lane : undefined;
        if (typeof lane === 'number') lastLanes.set(JSON.stringify(ask.offer), lane);
      }
      return (ask) => taken.get(ask) ?? { lane: null, job: undefined, run: undefined };
    },
    {
      max: AT_ONCE_MAX,
      maxBytes: Infinity,
      bytesOf: () => 0,
      isOneAtFault: (error) => !isDatabaseUnavailable(error),
    },
  );
  return (ask) =>
    ask.environments ? takeInEnvironment(database, pads, ask, ask.environments) : takeAny(ask);
}

function takenOf(row: TakenRow): Taken {
  const { looked, taken, retry_count } = row;
  const job = taken === null ? undefined : { id: taken, retryCount: retry_count };
  return { lane: looked, job, run: row.id === null ? undefined : row };
}
