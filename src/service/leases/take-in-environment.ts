import { IS_WAITING, JOBS, TAKING_CHOSEN } from '../../database/job-statements.ts';
import { retryConflicts } from '../../database/failure.ts';
import type { Database } from '../../database/open-database.ts';
import type { RunRow } from '../runs/find-run.ts';
import { TRANSITIONS } from '../runs/life/state-machine.ts';
import type { ServiceTables } from '../tables.ts';
import { tracksOf, type Ask, type Taken } from './ask.ts';
import { holdingRuns } from './hold-runs.ts';

/**
 * Claims the longest waiting run of certain environments, in the worker's lane or in the pool, for
 * the few workers that take only one run each. It goes through the waiting runs one by one until a
 * job can be taken. With a join, the planner would compare every job with every run if it expected
 * few.
 */
const TAKE = `
  with offer as (select $3::text[] as harnesses, $4::boolean as unnamed),
  place as (select id from lanes where id = $6 or $6::integer is null and worker_host = ''),
  line as materialized (
    select r.job_id, r.lane from place join runs r on r.lane = place.id
    where r.state = '${TRANSITIONS.claim.from[0]}' and r.environment_id = any($5) order by r.queued_at),
  chosen as materialized (
    select next.id from line cross join lateral (
      select w.id from ${JOBS} w where w.id = line.job_id and ${IS_WAITING}
        and w.priority in (select track from offer, lateral ${tracksOf('line.lane', 'offer')})
      limit 1 for update of w skip locked) next
    limit 1),
  ${TAKING_CHOSEN},
  dealt as (
    select 0 as place, $7::text as worker, $8::text as token, id, retry_count,
      (data ->> 'runId')::uuid as run from job),
  ${holdingRuns('$1', '$2')}
  select dealt.id as taken, dealt.retry_count, held.* from dealt left join held using (place)`;

type TakenRow = { taken: string; retry_count: number } & (RunRow | { id: null });

/** Claims a run of these environments for a worker. */
export async function takeInEnvironment(
  { steadyPool }: Pick<Database<ServiceTables>, 'steadyPool'>,
  pads: readonly Buffer[],
  { lane, offer, worker, tokenHash }: Ask,
  environments: readonly string[],
): Promise<Taken> {
  const values = [
    ...pads,
    offer.harnesses,
    offer.unnamed,
    environments,
    lane ?? null,
    worker,
    tokenHash.toString('hex'),
  ];
  const query = { name: 'runlink_take_in', text: TAKE, values };
  const [row] = (await retryConflicts(() => steadyPool.query<TakenRow>(query))).rows;
  if (!row) return { lane: null, job: undefined, run: undefined };
  const job = { id: row.taken, retryCount: row.retry_count };
  return { lane: null, job, run: row.id === null ? undefined : row };
}
