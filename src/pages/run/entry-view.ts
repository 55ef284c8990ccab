import { html } from 'hono/html';
import type { LogEvent } from '../../contract/entry.ts';
import { ENTRY_WEIGHT, lineCounts, outputView } from '../code-view.ts';
import { exactTime, formatSpan, plural } from '../format.ts';
import type { Html } from '../html.ts';
import { htmlMarkdown } from '../markdown.ts';
import { lightStart, splitAsked } from '../text.ts';
import { ago } from '../time-view.ts';
import type { Item } from '../../contract/log-item.ts';
import { labelOf, mark, type Mark } from './labels.ts';
import { toolView } from './tool-view.ts';

type Single = (Item & { type: 'single' })['event'];
type Event<T extends LogEvent['type']> = Extract<LogEvent, { type: T }>;

const ENDINGS = /^oz_run_(?:done|blocked|cancelled|failed|errored)$/;

/** The most characters of a message that are shown; the transcript has all of it. */
const MESSAGE_MAX = 60_000;

const NOTICE = { info: 'note', warn: 'warn', error: 'bad' } as const;

/**
 * An entry of the activity list. Its id is its position in the log, its version the position of its
 * latest change. `over`: the run has ended.
 */
export function entryView(item: Item, now: Date, over: boolean): Html | '' {
  const body = itemBody(item, now, over);
  if (body === '') return '';
  return html`<li
    id="e-${item.position}"
    data-place="${item.position}"
    data-v="${item.lastPosition}"
  >
    ${placeLink(item)} ${body}
  </li>`;
}

function line(kind: Mark, text: Html | string, aside: Html | string = ''): Html {
  return html`<div class="line ${kind}">
    ${mark(kind)}<span class="line-text">${text}</span><span class="meta">${aside}</span>
  </div>`;
}

function messageText(text: string): Html {
  const head = lightStart(text.slice(0, MESSAGE_MAX), ENTRY_WEIGHT);
  return html`${htmlMarkdown(head)}${head.length < text.length ? html`<p class="muted">The rest is in the transcript.</p>` : ''}`;
}

function speech(who: string, kind: 'agent' | 'person', at: string, body: Html, now: Date): Html {
  return html`<article class="speech ${kind}">
    <header>
      <strong><bdi>${who}</bdi></strong> <span class="meta">${ago(at, now)}</span>
    </header>
    ${body}
  </article>`;
}

function setupView(event: Event<'setup'>, over: boolean): Html {
  // A worker that was killed left its step open.
  const open = over ? 'note' : 'busy';
  const kind = event.is_error ? 'bad' : event.finished_at === undefined ? open : 'good';
  const took =
    event.finished_at === undefined ? '' : html`${formatSpan(event.started_at, event.finished_at)}`;
  const row = line(kind, html`${event.title}`, took);
  if (event.output === undefined || event.output.trim() === '') return row;
  return html`<details class="tool" ${event.is_error ? html`open` : ''}>
    <summary>${row}</summary>
    ${outputView(event.output, `Output of ${event.title}`)}
  </details>`;
}

function changesLine(event: Event<'changes'>): Html {
  const sum = (key: 'additions' | 'deletions'): number =>
    event.files.reduce((total, file) => total + file[key], 0);
  return line(
    'note',
    `${plural(event.files.length, 'file')} changed`,
    lineCounts(sum('additions'), sum('deletions')),
  );
}

function agentStartedView(event: Event<'agent_started'>): Html {
  const details = [event.version, event.sandbox && `in ${event.sandbox}`].filter(Boolean);
  return line('note', html`Agent <strong>${event.harness}</strong> started`, details.join(' · '));
}

function permissionView(event: Event<'permission'>): Html {
  const kind = event.decision === 'allowed' ? 'note' : 'warn';
  return line(kind, event.title, `permission ${event.decision}`);
}

function followupView(event: Event<'followup'>, now: Date): Html {
  const { asked, along, login } = splitAsked(event.message);
  const sender = event.creator?.display_name ?? 'Follow-up';
  const sentAlong =
    along === ''
      ? ''
      : html`<details class="help">
          <summary>Context</summary>
          <pre class="prompt wrap">${along}</pre>
        </details>`;
  const name = login === undefined ? sender : `${login}, by ${sender}`;
  return speech(name, 'person', event.at, html`${messageText(asked)} ${sentAlong}`, now);
}

/** Shows only the lifecycle events that end an execution; the details list the others. */
function lifecycleView(event: Event<'lifecycle'>, now: Date): Html | '' {
  if (!ENDINGS.test(event.event_type)) return '';
  return html`<div class="milestone">
    <span>${labelOf(event.event_type)}</span> ${ago(event.at, now)}
  </div>`;
}

/** A single event; empty for events that other parts of the page show. */
function singleView(event: Single, now: Date, over: boolean): Html | '' {
  switch (event.type) {
    case 'followup':
      return followupView(event, now);
    case 'setup':
      return setupView(event, over);
    case 'agent_started':
      return agentStartedView(event);
    case 'permission':
      return permissionView(event);
    case 'notice':
      return line(NOTICE[event.level], event.text);
    case 'changes':
      return changesLine(event);
    case 'lifecycle':
      return lifecycleView(event, now);
    case 'usage':
    case 'turn_end':
    case 'protocol':
      return '';
    default:
      return event satisfies never;
  }
}

function messageView(item: Item & { type: 'message' }, now: Date): Html {
  const [who, kind] =
    item.role === 'user'
      ? (['Sent to the agent', 'person'] as const)
      : (['Agent', 'agent'] as const);
  return speech(who, kind, item.at, messageText(item.text), now);
}

function itemBody(item: Item, now: Date, over: boolean): Html | '' {
  switch (item.type) {
    case 'message':
      return messageView(item, now);
    case 'thought':
      return html`<details class="thought">
        <summary>${mark('note')}Thought</summary>
        ${messageText(item.text)}
      </details>`;
    case 'tool':
      return toolView(item.tool, item.at, item.endedAt, over);
    case 'plan':
      // The plan has its own panel above the activity.
      return '';
    case 'single':
      return singleView(item.event, now, over);
    default:
      return item satisfies never;
  }
}

/** The entry's start time, linked to the entry. */
function placeLink({ at, position }: Item): Html {
  const time = new Date(at);
  return html`<a class="place" href="?at=${position}#e-${position}" title="${exactTime(time)}"
    >${time.toISOString().slice(11, 19)}</a
  >`;
}
