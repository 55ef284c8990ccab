import { html } from 'hono/html';
import type { TimelineEvent } from '../../contract/timeline.ts';
import { exactTime, formatSpan } from '../format.ts';
import { card } from '../card.ts';
import type { Html } from '../html.ts';
import { labelOf, mark, type Mark } from './labels.ts';

/** Most events shown, so that a run with a hundred follow-ups keeps a readable list. */
const SHOWN = 40;

function markOf(event: TimelineEvent): Mark {
  const ended = /^oz_run_(\w+)$/.exec(event.event_type)?.[1];
  if (ended === 'failed' || ended === 'errored' || event.payload?.['is_error'] === true)
    return 'bad';
  if (ended === 'blocked') return 'warn';
  return ended === 'cancelled' ? 'note' : 'good';
}

function latency(event: TimelineEvent): string {
  const ms = event.payload?.['latency_ms'];
  if (typeof ms !== 'number') return '';
  return formatSpan(new Date(0).toISOString(), new Date(ms));
}

function eventView(event: TimelineEvent, start: string): Html {
  const at = new Date(event.occurred_at);
  const took = latency(event);
  return html`<li>
    ${mark(markOf(event))}<span class="line-text"
      >${labelOf(event.event_type)}${took === '' ? '' : html` <span class="muted">${took}</span>`}</span
    >
    <time class="meta" datetime="${at.toISOString()}" title="${exactTime(at)}"
      >+${formatSpan(start, at)}</time
    >
  </li>`;
}

/** The lifecycle events of the run, each with the time since the run was created. */
export function timelineView(events: TimelineEvent[]): Html | '' {
  const [first] = events;
  if (!first) return '';
  const left = events.length - SHOWN;
  return card(
    'timeline',
    'Timeline',
    html`${left > 0 ? html`<p class="muted">${left} earlier events are not shown.</p>` : ''}
      <ol class="plain timeline">
        ${events.slice(-SHOWN).map((event) => eventView(event, first.occurred_at))}
      </ol>`,
  );
}
