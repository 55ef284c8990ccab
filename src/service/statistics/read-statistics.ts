import type { z } from 'zod';
import {
  STATISTICS_GROUPS_MAX,
  type Statistics,
  type StatisticsFigures,
  type StatisticsGroup,
  type statisticsQuery,
} from '../../contract/statistics.ts';
import type { ServiceContext } from '../context.ts';
import { CLASS_COLUMNS, COUNTS, beginOf } from './columns.ts';
import { nameGroups } from './name-groups.ts';
import { cheapestParts, daysOf } from './parts.ts';
import { spanOf, type DaySpan } from './span.ts';

type Query = z.output<typeof statisticsQuery>;
/** The counts of one bucket or group, by column. */
type Counts = Record<string, number>;
type CountedRow = Counts & { at: string };

const dateOf = (day: Date): string => day.toISOString().slice(0, 10);

const NAMES = Object.keys(COUNTS);
/** Sums as float8: ten times faster than bigint, and just as exact up to 2^53. */
const SUMS = NAMES.map((name) => `coalesce(sum(${name}::float8), 0) as ${name}`).join(', ');
const BY_BUCKET = `
  select to_char(date_trunc($5, day::timestamp), 'YYYY-MM-DD') as at, ${SUMS}
  from statistics where team_id = $1 and dimension = $2 and day >= $3 and day < $4
  group by 1 order by 1`;
const part = (from: number, sign: string): string => `
  select key, ${NAMES.map((name) => `${sign} * ${name} as ${name}`).join(', ')} from statistics
  where team_id = $1 and dimension = $2 and day >= $${from}::date and day < $${from + 1}::date`;
/** Sums by group, from whole months and the days to add or subtract. */
const BY_KEY = `
  select key as at, ${SUMS} from (
    select key, ${NAMES.join(', ')} from monthly_statistics
    where team_id = $1 and dimension = $2 and month >= $3::date and month < $4::date
    union all ${part(5, '$7::int')} union all ${part(8, '$10::int')}) counted
  group by 1 having sum(runs) > 0 order by sum(runs) desc, 1 limit $11`;

/** Current counts; from a thousand on the exact number does not matter. */
const NOW = `
  select state, (select count(*)::int from (select from runs where team_id = $1 and runs.state = states.state limit 1000) counted) as count
  from unnest(array['QUEUED', 'PENDING', 'INPROGRESS', 'BLOCKED']) as states (state)`;

/** GET /agent/statistics: read from daily and monthly counts, never from runs. */
export async function readStatistics(
  context: ServiceContext,
  teamId: string,
  query: Query,
): Promise<Statistics> {
  const span = spanOf(query, new Date());
  const { from, to, starts } = span;
  const { pool } = context.database;
  const { group_by: group, bucket } = query;
  const [{ rows: buckets }, groups, now] = await Promise.all([
    pool.query<CountedRow>(BY_BUCKET, [teamId, 'all', dateOf(from), dateOf(to), bucket]),
    group ? readGroups(context, teamId, group, span) : [],
    readNow(context, teamId),
  ]);
  const byStart = new Map(buckets.map((row) => [row.at, row]));
  const names =
    group &&
    (await nameGroups(
      context,
      teamId,
      group,
      groups.map((row) => row.at),
    ));
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    bucket,
    total: figuresOf(add(buckets)),
    buckets: starts.map((start) => ({
      start: start.toISOString(),
      ...figuresOf(byStart.get(dateOf(start)) ?? {}),
    })),
    ...(names
      ? {
          groups: groups.map((row) => ({
            key: row.at === '' ? null : row.at,
            name: names.get(row.at) ?? row.at,
            ...figuresOf(row),
          })),
        }
      : {}),
    now,
  };
}

/** The duration below which this share of runs lies, assuming an even spread within each class. */
function quantile(counts: Counts, share: number): number | null {
  const classes = CLASS_COLUMNS.map((name) => counts[name] ?? 0);
  let left = classes.reduce((sum, count) => sum + count, 0) * share;
  if (left === 0) return null;
  for (const [at, count] of classes.entries()) {
    const [begin, end] = [beginOf(at), beginOf(at + 1)];
    if (left <= count) return Math.round((begin + ((end - begin) * left) / count) * 10) / 10;
    left -= count;
  }
  return null;
}

function figuresOf(counts: Counts): StatisticsFigures {
  const get = (name: string): number => counts[name] ?? 0;
  const judged = get('succeeded') + get('failed') + get('errors');
  return {
    runs: get('runs'),
    succeeded: get('succeeded'),
    failed: get('failed'),
    errors: get('errors'),
    blocked: get('blocked'),
    cancelled: get('cancelled'),
    success_rate: judged === 0 ? null : get('succeeded') / judged,
    median_seconds: quantile(counts, 0.5),
    p90_seconds: quantile(counts, 0.9),
    cost_usd: get('cost_micros') / 1e6,
    total_tokens: get('total_tokens'),
    pull_requests: get('pull_requests'),
    merged_pull_requests: get('merged_pull_requests'),
  };
}

function add(rows: Counts[]): Counts {
  const sum = (name: string): number => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  return Object.fromEntries(Object.keys(COUNTS).map((name) => [name, sum(name)]));
}

async function readGroups(
  { database: { pool } }: ServiceContext,
  teamId: string,
  group: StatisticsGroup,
  span: DaySpan,
): Promise<CountedRow[]> {
  const { rows: inProgress } = await pool.query('select from months_progress');
  const { months, days } = inProgress.length > 0 ? daysOf(span) : cheapestParts(span, new Date());
  const { rows } = await pool.query<CountedRow>(BY_KEY, [
    teamId,
    group,
    ...months.map(dateOf),
    ...days.flatMap((it) => [dateOf(it.from), dateOf(it.to), it.sign]),
    STATISTICS_GROUPS_MAX,
  ]);
  return rows;
}

async function readNow({ database }: ServiceContext, teamId: string): Promise<Statistics['now']> {
  const { rows } = await database.pool.query<{ state: string; count: number }>(NOW, [teamId]);
  const of = (state: string): number => rows.find((row) => row.state === state)?.count ?? 0;
  return {
    queued: of('QUEUED'),
    working: of('PENDING') + of('INPROGRESS'),
    blocked: of('BLOCKED'),
  };
}
