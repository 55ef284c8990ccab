import { html } from 'hono/html';
import { formatDuration } from '../base/time.ts';
import type { RunItem } from '../contract/run.ts';
import { workedMs } from '../contract/time-and-cost.ts';
import { exactTime, formatSpan, timeAgo, weekdayTime } from './format.ts';
import type { Html } from './html.ts';

/** A relative time such as "3 minutes ago". The script updates it; the title has the exact time. */
export function ago(at: string | Date, now: Date): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" title="${exactTime(date)}" data-ago
    >${timeAgo(date, now)}</time
  >`;
}

/** A time in the reader's own time zone if scripts run, otherwise in UTC. */
export function localTime(at: string | Date): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" title="${exactTime(date)}" data-local
    >${weekdayTime(date)}</time
  >`;
}

/** How long something took. Without an end, the script keeps counting. */
export function elapsedView(from: string, to: string | undefined | null, now: Date): Html {
  if (to) return html`<span>${formatSpan(from, to)}</span>`;
  return html`<span data-since="${new Date(from).toISOString()}">${formatSpan(from, now)}</span>`;
}

/** How long a run has worked in all its executions; undefined if none has begun. */
export function workedView(run: RunItem, now: Date): Html | undefined {
  const ms = workedMs(run, now);
  if (ms === undefined) return undefined;
  if (run.state !== 'INPROGRESS') return html`<span>${formatDuration(ms)}</span>`;
  return elapsedView(new Date(now.getTime() - ms).toISOString(), null, now);
}
