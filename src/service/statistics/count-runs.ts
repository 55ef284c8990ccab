import type { Pool } from 'pg';
import { TERMINAL_STATES } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { COUNTS, DIMENSIONS, classOf } from './columns.ts';

const BATCH = 1000;
/** Longest time for one round if there is much to count, as after an upgrade. */
const ROUND_MS = 5000;

const NAMES = Object.keys(COUNTS);
const sumOf = (name: string): string =>
  `nullif(coalesce(statistics.${name}, 0) + coalesce(excluded.${name}, 0), 0)`;
const ENDED = TERMINAL_STATES.map((state) => `'${state}'`).join(', ');
const FACTS =
  'run_id, team_id, day, keys, outcome, took, cost_micros, total_tokens, pull_requests, merged_pull_requests';

/**
 * Counts the runs that changed since the last look. `updated_at` is the clock's time at the write.
 * So everything older than the oldest open transaction that writes is visible, and each change is
 * counted once, in order. When a run is counted again, or goes on, its previous count is subtracted.
 */
const COUNT = `
  with since as materialized (
    select counted_at, counted_id from statistics_progress for update skip locked),
  until as materialized (
    select least(clock_timestamp(), min(xact_start)) - interval '2 ms' as at from pg_stat_activity
    where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()),
  due as materialized (
    select changed.* from since, until, teams cross join lateral (
      select * from runs
      where team_id = teams.id and (updated_at, id) > (counted_at, counted_id) and updated_at < until.at
      order by updated_at, id limit ${BATCH}) changed
    order by updated_at, id limit ${BATCH}),
  fresh as materialized (
    select id as run_id, team_id, (created_at at time zone 'UTC')::date as day,
      array['', coalesce(environment_id, ''), coalesce(metadata->>'runlink.repository', ''),
        case when executor->>'type' = 'service_account' then executor_uid else '' end,
        coalesce(model_id, ''), coalesce('@' || (metadata->>'runlink.actor'), creator_uid)] as keys,
      state as outcome,
      case when worked.seconds is not null then ${classOf('worked.seconds')} end::smallint as took,
      coalesce(round((usage->>'inference_cost_usd')::numeric * 1e6), 0)::bigint as cost_micros,
      coalesce((usage->>'total_tokens')::numeric, 0)::bigint as total_tokens,
      pulls.count as pull_requests, pulls.merged as merged_pull_requests
    from due cross join lateral (
      select count(*), count(*) filter (where data->>'status' = 'merged') as merged from artifacts
      where run_id = due.id and artifact_type = 'PULL_REQUEST') pulls
    cross join lateral (
      select extract(epoch from sum(ended_at - executions.started_at)) as seconds from executions
      where run_id = due.id) worked
    where state in (${ENDED})),
  stale as materialized (select run_facts.* from run_facts join fresh using (run_id)),
  kept as (
    insert into run_facts (${FACTS}) select ${FACTS} from fresh
    on conflict (run_id) do update set (${FACTS}) = row(${FACTS.replaceAll(/\w+/g, 'excluded.$&')})),
  reopened as (
    delete from run_facts using due where run_id = due.id and due.state not in (${ENDED})
    returning ${FACTS.replaceAll(/\w+/g, 'run_facts.$&')}),
  changes as (select 1 as sign, ${FACTS} from fresh union all select -1, ${FACTS} from stale
    union all select -1, ${FACTS} from reopened),
  counted as (
    insert into statistics (team_id, dimension, key, day, ${NAMES.join(', ')})
    select team_id, dimension, key, day,
      ${Object.values(COUNTS)
        .map((added) => `nullif(sum(sign * ${added}), 0)`)
        .join(', ')}
    from changes cross join unnest(array['${DIMENSIONS.join("', '")}'], keys) as by (dimension, key)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (team_id, dimension, day, key) do update set
      ${NAMES.map((name) => `${name} = ${sumOf(name)}`).join(', ')}),
  progress as (
    update statistics_progress set (counted_at, counted_id) = (
      select updated_at, id from due order by updated_at desc, id desc limit 1)
    where exists (select from due))
  select count(*)::int from due`;

const PLACE = ['team_id', 'dimension', 'day', 'key'];
const placeIn = (table: string): string =>
  `(${PLACE.map((name) => `${table}.${name}`).join(', ')})`;

/** Adds days from before migration 0018 to their months, once, in batches. */
const ADD_TO_MONTHS = `
  with turn as materialized (select from statistics_progress for update skip locked),
  since as materialized (select months_progress.* from turn, months_progress),
  due as materialized (
    select later.* from since cross join lateral (
      select ${PLACE.join(', ')} from statistics where ${placeIn('statistics')} > ${placeIn('since')}
      order by ${PLACE.join(', ')} limit ${BATCH}) later),
  added as (
    update statistics set in_month = true from due
    where ${placeIn('statistics')} = ${placeIn('due')} and in_month is null),
  progress as (
    update months_progress set (${PLACE.join(', ')}) = (
      select ${PLACE.join(', ')} from due order by ${PLACE.map((name) => `${name} desc`).join(', ')} limit 1)
    where exists (select from due)),
  over as (delete from months_progress where exists (select from since) and not exists (select from due))
  select count(*)::int from due`;

/** Brings the statistics up to date, unless another node is doing that. */
export async function countRuns({ database }: Pick<ServiceContext, 'database'>): Promise<void> {
  const deadline = Date.now() + ROUND_MS;
  for (const text of [COUNT, ADD_TO_MONTHS])
    while ((await batch(database.pool, text)) === BATCH && Date.now() < deadline);
}

async function batch(pool: Pool, text: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(text);
  return rows[0]?.count ?? 0;
}
