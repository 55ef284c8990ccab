import type { Pool } from 'pg';
import type { RunState } from '../../contract/run.ts';

/** A team's runs for one worker host that wait; `worker_host` is empty for the service's own pool. */
export interface WaitingLane {
  team: string;
  worker_host: string;
  waiting: number;
  oldestSeconds: number;
}

export interface OpenRuns {
  /** The longest waiting first; those past the bound are one, under `(others)`. */
  lanes: WaitingLane[];
  /** Waiting runs of the service's own pool by environment id, `''` for those without one. */
  byEnvironment: Map<string, number>;
  byState: Map<RunState, number>;
}

/** Lanes named one by one: bounds the answer whatever hosts runs name. */
const LANES_MAX = 100;

interface Row {
  team: string;
  worker_host: string;
  environment: string;
  waiting: number;
  oldest: number;
}

/** Both read only open runs, by the indexes of those: what has ended costs nothing. */
const WAITING = `
  select t.name as team, l.worker_host, coalesce(q.environment_id, '') as environment, q.waiting, q.oldest
  from (
    select lane, environment_id, count(*)::int as waiting,
      extract(epoch from now() - min(queued_at))::float8 as oldest
    from runs where state = 'QUEUED' and lane is not null group by lane, environment_id) q
  join lanes l on l.id = q.lane join teams t on t.id = l.team_id
  order by q.oldest desc`;
const WORKING = `
  select state, count(*)::int as count from runs where state in ('PENDING', 'INPROGRESS') group by state`;

/** What waits and what is worked on now. Rejects when the database cannot be reached. */
export async function readOpenRuns(pool: Pool): Promise<OpenRuns> {
  const [waiting, working] = await Promise.all([
    pool.query<Row>(WAITING),
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

function lanesOf(rows: readonly Row[]): WaitingLane[] {
  const lanes = new Map<string, WaitingLane>();
  for (const { team, worker_host, waiting, oldest } of rows) {
    const name = `${team} ${worker_host}`;
    const isNamed = lanes.has(name) || lanes.size < LANES_MAX;
    const key = isNamed ? name : '';
    const place = isNamed ? { team, worker_host } : { team: '(others)', worker_host: '(others)' };
    // Rows come with the oldest first.
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
