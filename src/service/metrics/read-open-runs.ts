import type { Pool } from 'pg';
import type { RunState } from '../../contract/run.ts';

/**
 * The waiting runs of a team for one worker host; `worker_host` is empty for the service's own
 * pool.
 */
export interface WaitingLane {
  team: string;
  worker_host: string;
  waiting: number;
  oldestSeconds: number;
}

export interface OpenRuns {
  /** The longest waiting first; lanes beyond the limit are summed up as `(others)`. */
  lanes: WaitingLane[];
  /**
   * Waiting runs of the service's own pool by environment id; `''` for runs without an environment.
   */
  byEnvironment: Map<string, number>;
  byState: Map<RunState, number>;
}

/** Most lanes that are listed by name, so that the answer stays small whatever hosts runs name. */
const LANES_MAX = 100;

interface LaneRow {
  team: string;
  worker_host: string;
  environment: string;
  waiting: number;
  oldest: number;
}

/**
 * Both queries read only open runs, by partial indexes, so ended runs cost nothing. Lanes in which
 * nothing waits are shown at 0: a graph has no gap then, and an alert ends.
 */
const WAITING_BY_LANE = `
  select t.name as team, l.worker_host, coalesce(q.environment_id, '') as environment, q.waiting, q.oldest
  from (
    select lane, environment_id, count(*)::int as waiting,
      extract(epoch from now() - min(queued_at))::float8 as oldest
    from runs where state = 'QUEUED' and lane is not null group by lane, environment_id) q
  join lanes l on l.id = q.lane join teams t on t.id = l.team_id
  union all
  select t.name, l.worker_host, '', 0, 0
  from (select team_id, worker_host from lanes order by id limit ${LANES_MAX}) l join teams t on t.id = l.team_id
  union all
  (select name, '', '', 0, 0 from teams order by created_at limit ${LANES_MAX})
  order by oldest desc, team, worker_host`;
const WORKING = `
  select state, count(*)::int as count from runs where state in ('PENDING', 'INPROGRESS') group by state`;

/** Counts runs that wait and runs that are worked on. Rejects if the database cannot be reached. */
export async function readOpenRuns(pool: Pool): Promise<OpenRuns> {
  const [waiting, working] = await Promise.all([
    pool.query<LaneRow>(WAITING_BY_LANE),
    pool.query<{ state: RunState; count: number }>(WORKING),
  ]);
  const pooled = waiting.rows.filter(({ worker_host }) => worker_host === '');
  return {
    lanes: lanesOf(waiting.rows),
    byEnvironment: sums(pooled.map((row) => [row.environment, row.waiting])),
    byState: new Map([
      ['QUEUED', waiting.rows.reduce((sum, row) => sum + row.waiting, 0)],
      ['PENDING', 0],
      ['INPROGRESS', 0],
      ...working.rows.map(({ state, count }) => [state, count] as const),
    ]),
  };
}

function lanesOf(rows: readonly LaneRow[]): WaitingLane[] {
  const lanes = new Map<string, WaitingLane>();
  for (const { team, worker_host, waiting, oldest } of rows) {
    const name = `${team} ${worker_host}`;
    const isNamed = lanes.has(name) || lanes.size < LANES_MAX;
    const key = isNamed ? name : '';
    const place = isNamed ? { team, worker_host } : { team: '(others)', worker_host: '(others)' };
    // Rows are sorted by age, oldest first.
    const { waiting: before, oldestSeconds } = lanes.get(key) ?? {
      waiting: 0,
      oldestSeconds: oldest,
    };
    lanes.set(key, { ...place, waiting: before + waiting, oldestSeconds });
  }
  return [...lanes.values()];
}

function sums(pairs: readonly (readonly [string, number])[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [key, value] of pairs) found.set(key, (found.get(key) ?? 0) + value);
  return found;
}
