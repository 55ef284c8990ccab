import { z } from 'zod';
import { timestamp } from './primitives.ts';

export const statisticsGroup = z.enum(['environment', 'repository', 'agent', 'model', 'person']);
export type StatisticsGroup = z.infer<typeof statisticsGroup>;

/** Most groups in one answer: those with the most runs. */
export const STATISTICS_GROUPS_MAX = 100;

/**
 * Query of GET /agent/statistics. The span is widened to whole days in UTC. Without `from` it is
 * the 30 days before `to`; without `to` it ends with today.
 */
export const statisticsQuery = z.object({
  from: timestamp.optional(),
  to: timestamp.optional(),
  /** Weeks begin on Monday. */
  bucket: z.enum(['day', 'week', 'month']).default('day'),
  group_by: statisticsGroup.optional(),
});

/** Figures about the runs that were created in a span and have ended. */
const figures = z.object({
  runs: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  errors: z.int(),
  blocked: z.int(),
  cancelled: z.int(),
  /**
   * The share of successes among the runs that succeeded, failed or ended by an error; null if
   * there are none.
   */
  success_rate: z.number().nullable(),
  /** Median time from start to end, to within a tenth; null if no run started. */
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
  /** The end of the span, exclusive. */
  to: timestamp,
  bucket: statisticsQuery.shape.bucket.unwrap(),
  total: figures,
  /** Every bucket of the span, also empty ones, oldest first. */
  buckets: z.array(figures.extend({ start: timestamp })),
  /** With `group_by`: groups by number of runs. `key` is null for runs without such a value. */
  groups: z.array(figures.extend({ key: z.string().nullable(), name: z.string() })).optional(),
  /** The number of runs in these states now, whatever the span; counted up to 1,000. */
  now: z.object({ queued: z.int(), working: z.int(), blocked: z.int() }),
});
export type Statistics = z.infer<typeof statisticsResponse>;
