import type { z } from 'zod';
import { invalidField } from '../../contract/problem.ts';
import type { statisticsQuery } from '../../contract/statistics.ts';

type Query = z.output<typeof statisticsQuery>;

export const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
const BUCKETS_MAX = 1000;
/**
 * A year of four digits must be enough for the months and weeks around them, and PostgreSQL has no
 * year 0.
 */
const DATES = { first: Date.parse('0001-02-01'), last: Date.parse('9999-12-01') };

/** Whole days in UTC: the first day, and the day after the last. */
export interface DaySpan {
  from: Date;
  to: Date;
  /** Starts of the buckets; the first may be before `from`. */
  starts: Date[];
}

export const floorDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** The span of a query. Throws ProblemError if it is invalid or has too many buckets. */
export function spanOf(query: Query, now: Date): DaySpan {
  const to = floorDay(Date.parse(query.to ?? now.toISOString()) - 1) + DAY_MS;
  const from = query.from ? floorDay(Date.parse(query.from)) : to - USUAL_DAYS * DAY_MS;
  const refuse = (field: 'from' | 'to' | 'bucket', detail: string): never => {
    throw invalidField(field, detail);
  };
  if (from >= to) refuse('from', 'must be before `to`');
  if (from < DATES.first || to > DATES.last)
    refuse('to', 'must lie a month within the years 1 to 9999');
  const starts: Date[] = [];
  let start = bucketOf(new Date(from), query.bucket);
  for (; start.getTime() < to; start = nextBucket(start, query.bucket)) {
    if (starts.push(start) > BUCKETS_MAX)
      refuse('bucket', `the span has more than ${BUCKETS_MAX} of them; take larger ones`);
  }
  return { from: new Date(from), to: new Date(to), starts };
}

function bucketOf(at: Date, bucket: Query['bucket']): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (bucket === 'month') return new Date(Date.UTC(year, month, 1));
  const sinceMonday = bucket === 'week' ? (at.getUTCDay() + 6) % 7 : 0;
  return new Date(Date.UTC(year, month, day - sinceMonday));
}

function nextBucket(start: Date, bucket: Query['bucket']): Date {
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()];
  return bucket === 'month'
    ? new Date(Date.UTC(year, month + 1, 1))
    : new Date(Date.UTC(year, month, day + (bucket === 'week' ? 7 : 1)));
}
