import { html } from 'hono/html';
import { exactTime, formatSpan, timeAgo } from './format.ts';
import type { Html } from './html.ts';

/** A relative time such as "3 minutes ago". The script updates it; the title has the exact time. */
export function ago(at: string | Date, now: Date): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" title="${exactTime(date)}" data-ago
    >${timeAgo(date, now)}</time
  >`;
}

/** How long something took. While it has no end, the script counts on. */
export function span(from: string, to: string | undefined | null, now: Date): Html {
  if (to) return html`<span>${formatSpan(from, to)}</span>`;
  return html`<span data-since="${new Date(from).toISOString()}">${formatSpan(from, now)}</span>`;
}
