import { namedHarness } from '../../config/harness.ts';
import type { RunWaiting } from '../../contract/run.ts';
import { IS_JOB, IS_WAITING, JOBS } from '../../database/job-statements.ts';
import type { ServiceContext } from '../context.ts';
import { teamOf } from '../keys/spaces.ts';
import type { RunRow } from '../runs/find-run.ts';
import type { Db } from '../tables.ts';
import { CONNECTED_SECONDS } from './list-workers.ts';

/** Most runs ahead that are counted. */
const COUNTED_MAX = 100;
/** Workers that were last seen before this are ignored. */
const SPOKEN_OF = `interval '30 days'`;

type Waiting = Pick<RunRow, 'id' | 'state' | 'lane' | 'team_id' | 'worker_host' | 'config'>;

type Looking = Pick<ServiceContext, 'database'> & { db: Db };

interface Seen {
  ahead: number;
  connected: number;
  /** Connected workers that are not limited to other environments. */
  present: number;
  free: number;
  offering: number;
  last_seen: Date | null;
}

/** Why a run is still queued; undefined if it is not. */
export async function whyWaiting(
  { db, database, config, held }: Looking & Pick<ServiceContext, 'config' | 'held'>,
  run: Waiting,
): Promise<RunWaiting | undefined> {
  if (run.state !== 'QUEUED') return undefined;
  if (run.lane === null)
    return {
      reason: 'caller_executes',
      message: 'No worker is needed: whoever started the run executes it.',
    };
  if (held.now)
    return { reason: 'held', message: 'The service was restored; its operator resumes it.' };
  const harness = namedHarness(run.config.harness?.type) ?? config.default_harness;
  const { name } = config.environments.find(({ id }) => id === run.config.environment_id) ?? {};
  return explain(await look({ db, database }, run, harness), run.worker_host, harness, name);
}

/** Needed for each look at a queued run, so the query is prepared once per connection. */
const LOOK = `
  with known as (
    select *, connected and coalesce(environments @> $1::jsonb, true) as present
    from (select *, last_seen_at > now() - ${CONNECTED_SECONDS} * interval '1 s' as connected
      from workers where last_seen_at > now() - ${SPOKEN_OF} and case when $2::text is null
        then worker_host is null and (team_id = $3 or team_id is null)
        else worker_host = $2 and team_id = $3 end) seen)
  select count(*) filter (where connected)::int as connected,
    count(*) filter (where present)::int as present,
    count(*) filter (where present and coalesce(slots - (
      select count(*) from runs
      where state in ('PENDING', 'INPROGRESS') and lease_worker = worker_id), capacity) > 0)::int as free,
    count(*) filter (where present and harnesses @> $4::jsonb)::int as offering,
    max(last_seen_at) as last_seen,
    (select count(*) from (
      select from runs r join ${JOBS} j on ${IS_JOB}
      join ${JOBS} w on w.priority = j.priority and w.created_on < j.created_on
      where r.id = $5 and ${IS_WAITING} limit ${COUNTED_MAX}) earlier)::int as ahead
  from known`;

async function look(
  { db, database }: Looking,
  { id, team_id, worker_host: host, config }: Waiting,
  harness: string | undefined,
): Promise<Seen | undefined> {
  const here = JSON.stringify([config.environment_id]);
  const wanted = harness === undefined ? '[]' : JSON.stringify([harness]);
  const values = [here, host, await teamOf(db, team_id), wanted, id];
  const query = { name: 'runlink_why_waiting', text: LOOK, values };
  const { rows } = await database.steadyPool.query<Seen>(query);
  return rows[0];
}

function explainAbsence(
  seen: Seen | undefined,
  host: string | null,
  environment: string | undefined,
): string {
  if (seen?.connected) {
    const those = environment === undefined ? 'without an environment' : `in "${environment}"`;
    return `No connected worker takes runs ${those}.`;
  }
  const named = host === null ? '' : ` named "${host}"`;
  const minute = seen?.last_seen?.toISOString().slice(0, 16).replace('T', ' ');
  const since = minute === undefined ? 'so far' : `since ${minute} UTC`;
  return `No worker${named} was connected ${since}.`;
}

function explain(
  seen: Seen | undefined,
  host: string | null,
  harness: string | undefined,
  environment: string | undefined,
): RunWaiting {
  if (!seen?.present)
    return { reason: 'no_worker', message: explainAbsence(seen, host, environment) };
  if (harness !== undefined && seen.offering === 0)
    return { reason: 'no_harness', message: `No connected worker offers "${harness}".` };
  const place =
    seen.ahead < COUNTED_MAX ? `Number ${seen.ahead + 1}` : `After number ${COUNTED_MAX}`;
  const workers = seen.present === 1 ? '1 worker' : `${seen.present} workers`;
  const room = seen.free === 0 ? 'none with room' : `${seen.free} with room`;
  return { reason: 'in_line', message: `${place} in line for ${workers}, ${room}.` };
}
