import { html } from 'hono/html';
import { exactTime, formatSpan, timeAgo } from './format.ts';
import type { Html } from './html.ts';

/** A point in time as people say it; the script keeps it right, the title has it exactly. */
export function ago(at: string | Date, now: Date): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" title="${exactTime(date)}" data-ago
    >${timeAgo(date, now)}</time
  >`;
}

/** How long something has taken: counted on by the script while it has no end. */
export function span(from: string, to: string | undefined | null, now: Date): Html {
  if (to) return html`<span>${formatSpan(from, to)}</span>`;
  return html`<span data-since="${new Date(from).toISOString()}">${formatSpan(from, now)}</span>`;
}
