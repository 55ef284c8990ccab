import { statisticsGroup } from '../../contract/statistics.ts';

/** What runs are counted by; `all` has one key, the empty one. */
export const DIMENSIONS = ['all', ...statisticsGroup.options] as const;

/** Classes of how long a run took, each √2 times the one before: a median read from them is about a tenth exact. */
const CLASSES = 34;
export const CLASS_COLUMNS = Array.from({ length: CLASSES }, (_, at) => `took_${at}`);

/** The class of a time in seconds, in SQL; the last one begins at 25 hours. */
export function classOf(seconds: string): string {
  return `least(floor(2 * log(2, greatest(${seconds}, 1)::numeric)), ${CLASSES - 1})`;
}

/** The seconds at which a class begins. */
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
