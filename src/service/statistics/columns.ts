import { statisticsGroup } from '../../contract/statistics.ts';

/** What runs are grouped by; `all` has one group, with an empty key. */
export const DIMENSIONS = ['all', ...statisticsGroup.options] as const;

/**
 * Number of classes of durations. Each begins at √2 times the previous one, so a median from them
 * is accurate to about a tenth.
 */
const CLASSES = 34;
export const CLASS_COLUMNS = Array.from({ length: CLASSES }, (_, at) => `took_${at}`);

/** SQL: the class of a duration in seconds; the last one begins at 25 hours. */
export function classOf(seconds: string): string {
  return `least(floor(2 * log(2, greatest(${seconds}, 1)::numeric)), ${CLASSES - 1})`;
}

/** The duration in seconds at which a class begins. */
export function beginOf(classNumber: number): number {
  return classNumber === 0 ? 0 : 2 ** (classNumber / 2);
}

const isOutcome = (state: string): string => `(outcome = '${state}')::int`;

/** The columns of a count, and what one run adds to each. */
export const COUNTS: Readonly<Record<string, string>> = {
  runs: '1',
  succeeded: isOutcome('SUCCEEDED'),
  failed: isOutcome('FAILED'),
  errors: isOutcome('ERROR'),
  blocked: isOutcome('BLOCKED'),
  cancelled: isOutcome('CANCELLED'),
  cost_micros: 'cost_micros',
  total_tokens: 'total_tokens',
  pull_requests: 'pull_requests',
  merged_pull_requests: 'merged_pull_requests',
  ...Object.fromEntries(CLASS_COLUMNS.map((name, at) => [name, `(took = ${at})::int`])),
};
