import type { RunRead } from './run.ts';

type Timed = Pick<RunRead, 'started_at' | 'finished_at' | 'run_time' | 'executions'>;

/**
 * How long a run's executions have worked until `now`, in milliseconds; undefined if none has
 * begun. The time between an end and the follow-up that continued the run does not count. If a
 * service does not list executions, the run counts as one.
 */
export function workedMs(run: Timed, now: Date): number | undefined {
  const { started_at, finished_at } = run;
  const told = run.executions ?? [];
  const executions = told.length > 0 ? told : [{ started_at, ended_at: finished_at }];
  const spans = executions.flatMap(({ started_at: from, ended_at: to }) =>
    from
      ? [{ isOver: Boolean(to), ms: (to ? Date.parse(to) : now.getTime()) - Date.parse(from) }]
      : [],
  );
  const sum = (parts: typeof spans): number =>
    parts.reduce((all, { ms }) => all + Math.max(0, ms), 0);
  if (spans.length === 0 && run.run_time === undefined) return undefined;
  // Only the latest executions are listed one by one.
  const isWhole = (told[0]?.execution_id ?? 1) === 1;
  const ended = sum(spans.filter(({ isOver }) => isOver));
  const before = isWhole ? ended : Math.max(ended, durationMs(run.run_time ?? ''));
  return before + sum(spans.filter(({ isOver }) => !isOver));
}

/**
 * Milliseconds of an ISO 8601 duration in hours, minutes and seconds, such as `PT2M30S`; 0 if it is
 * invalid.
 */
function durationMs(text: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text) ?? [];
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

/** What a run has cost so far, such as `$0.42`; empty if its service does not say. */
export function costText({ request_usage: usage }: Pick<RunRead, 'request_usage'>): string {
  const dollars = usage?.inference_cost_usd;
  return dollars === undefined ? '' : `$${dollars.toFixed(2)}`;
}
