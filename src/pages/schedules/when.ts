import { Cron } from 'croner';
import cronstrue from 'cronstrue';

const SHOWN_FIRINGS = 5;

/** A cron expression in words, such as `At 03:00, Monday through Friday (UTC)`. */
export function inWords(cron: string): string {
  try {
    return `${cronstrue.toString(cron, { use24HourTimeFormat: true })} (UTC)`;
  } catch {
    // Our scheduler accepts some expressions that this library cannot describe.
    return `${cron} (UTC)`;
  }
}

/** The next times that it starts runs; fewer if the expression has no more. */
export function nextFirings(cron: string, after: Date): Date[] {
  return new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true }).nextRuns(
    SHOWN_FIRINGS,
    after,
  );
}
