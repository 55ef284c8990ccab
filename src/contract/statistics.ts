import { z } from 'zod';
import { timestamp } from './primitives.ts';

export const statisticsGroup = z.enum(['environment', 'repository', 'agent', 'model', 'person']);
export type StatisticsGroup = z.infer<typeof statisticsGroup>;

/** Groups that one answer lists: those with the most runs. */
export const STATISTICS_GROUPS_MAX = 100;

/**
 * Query of GET /agent/statistics. The span is widened to whole days in UTC; without `from` it is
 * the 30 days that end with `to`, without `to` it ends with today.
 */
export const statisticsQuery = z.object({
  from: timestamp.optional(),
  to: timestamp.optional(),
  /** Weeks begin on Monday. */
  bucket: z.enum(['day', 'week', 'month']).default('day'),
  group_by: statisticsGroup.optional(),
});

/** What is counted of the runs that were created in a span and have ended. */
const figures = z.object({
  runs: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  errors: z.int(),
  blocked: z.int(),
  cancelled: z.int(),
  /** Of those that succeeded, failed or ended by an error, the share that succeeded; null for none. */
  success_rate: z.number().nullable(),
  /** From start to end, to about a tenth exact; null where no run started. */
  median_seconds: z.number().nullable(),
  p90_seconds: z.number().nullable(),
  cost_usd: z.number(),
  total_tokens: z.int(),
  pull_requests: z.int(),
  merged_pull_requests: z.int(),
});
export type StatisticsFigures = z.infer<typeof figures>;

export const statisticsResponse = z.object({
  from: timestamp,
  /** The span's end, itself outside of it. */
  to: timestamp,
  bucket: statisticsQuery.shape.bucket.unwrap(),
  total: figures,
  /** Every bucket of the span, empty ones too, oldest first. */
  buckets: z.array(figures.extend({ start: timestamp })),
  /** With `group_by`, most runs first. `key` is null for runs that have no such thing. */
  groups: z.array(figures.extend({ key: z.string().nullable(), name: z.string() })).optional(),
  /** How many runs there are in these states at this moment, whatever the span; counted up to 1,000. */
  now: z.object({ queued: z.int(), working: z.int(), blocked: z.int() }),
});
export type Statistics = z.infer<typeof statisticsResponse>;
