import { html } from 'hono/html';
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEvent,
  type Member,
} from '../../contract/people.ts';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';
import { rowsView } from '../lists/table.ts';
import { select, type Option } from '../select.ts';
import { settingsHead } from '../settings/tabs.ts';
import { localTime } from '../time-view.ts';

/** The filters, as in the form and in links. */
export interface AuditFilter {
  actor: string;
  action: AuditAction | '';
  object: string;
  from: string;
  to: string;
  cursor: string;
}

export interface AuditPage {
  viewer: Viewer;
  events: AuditEvent[];
  nextCursor: string | null;
  members: Member[];
  filter: AuditFilter;
}

const PATH = '/settings/audit';
/** The most people in the filter; others can be chosen by a link in the rows. */
const PEOPLE_SHOWN = 500;

const ACTIONS: Record<AuditAction, string> = {
  'sign_in.begun': 'signed in',
  'sign_in.ended': 'signed out',
  'sign_in.refused': 'was not let in',
  'member.joined': 'added to the team',
  'member.role_changed': 'changed the role of',
  'member.removed': 'removed from the team',
  'key.created': 'created the key',
  'key.revoked': 'revoked the key',
  'terminal.approved': 'approved the terminal',
  'terminal.denied': 'denied the terminal',
  'workflow.signed_in': 'signed in as a workflow of',
  'artifact.published': 'made public',
  'artifact.unpublished': 'made private',
  'run.shared': 'shared the run',
  'run.unshared': 'stopped sharing the run',
  'agent.created': 'created the agent',
  'agent.changed': 'changed the agent',
  'agent.deleted': 'deleted the agent',
  'schedule.created': 'created the schedule',
  'schedule.changed': 'changed the schedule',
  'schedule.paused': 'paused the schedule',
  'schedule.resumed': 'resumed the schedule',
  'schedule.deleted': 'deleted the schedule',
  'settings.changed': 'started the service with a changed',
  'app.created': 'created the App',
};

export function queryOf(filter: Partial<AuditFilter>): string {
  const pairs = Object.entries(filter).filter(([, value]) => value !== '');
  return new URLSearchParams(Object.fromEntries(pairs)).toString();
}

const DETAILS: Record<string, string> = { via: 'by', before: 'was', role: 'role' };

function eventRow({ at, actor, action, object, address, details }: AuditEvent): (Html | string)[] {
  const said = Object.entries(details).map(
    ([name, value]) => html`<span class="tag">${DETAILS[name] ?? name} <bdi>${value}</bdi></span> `,
  );
  const isSelf = object.type === 'sign_in' && object.name === actor.display_name;
  const thing =
    object.id === null
      ? html`<bdi>${object.name}</bdi>`
      : html`<a href="${PATH}?${queryOf({ object: object.id })}"><bdi>${object.name}</bdi></a>`;
  return [
    localTime(at),
    actor.uid === null
      ? actor.display_name
      : html`<a href="${PATH}?${queryOf({ actor: actor.uid })}"
          ><bdi>${actor.display_name}</bdi></a
        >`,
    html`<span class="words">${ACTIONS[action]} ${isSelf ? '' : thing} ${said}</span>`,
    address ? html`<bdi>${address}</bdi>` : html`<span class="muted">this machine</span>`,
  ];
}

function filterForm({ filter, members }: AuditPage): Html {
  const shown = members.slice(0, PEOPLE_SHOWN);
  const people = shown.map(({ uid, display_name }): Option => [uid, display_name]);
  const isKnown = filter.actor === '' || people.some(([uid]) => uid === filter.actor);
  const actions = AUDIT_ACTIONS.map((action): Option => [action, action]);
  return html`<form class="filters" method="get" action="${PATH}">
    ${select(
      'actor',
      'Who',
      [['', 'Anybody'], ...people, ...(isKnown ? [] : [[filter.actor, 'This actor'] as const])],
      filter.actor,
    )}
    ${select('action', 'What', [['', 'Anything'], ...actions], filter.action)}
    <label>From <input type="date" name="from" value="${filter.from}" /></label>
    <label>to <input type="date" name="to" value="${filter.to}" /></label>
    ${
      filter.object === ''
        ? ''
        : html`<input type="hidden" name="object" value="${filter.object}" />`
    }
    <div class="buttons">
      <button>Filter</button>
      <a class="button" href="${PATH}">All</a>
      <button formaction="${PATH}.ndjson">Export</button>
    </div>
  </form>`;
}

/** Who did what to what, when, and from where (threats.md S22). */
export function auditView(page: AuditPage): Html {
  const { viewer, events, nextCursor, filter } = page;
  const { cursor: _, ...kept } = filter;
  const table = rowsView({
    title: 'Audit log',
    columns: ['When', 'Who', 'What', 'From'],
    rows: events.map(eventRow),
  });
  return html`<div class="page">
    ${settingsHead(viewer, PATH)}
    <p class="muted">Nothing in this log is ever changed or deleted. It holds names, no secrets.</p>
    ${filterForm(page)}
    ${
      events.length > 0
        ? html`<section class="card">${table}</section>`
        : html`<p class="empty">No events match.</p>`
    }
    <nav class="buttons" aria-label="Pages of the log">
      ${filter.cursor ? html`<a class="button" href="${PATH}?${queryOf(kept)}">Newest</a>` : ''}
      ${
        nextCursor
          ? html`<a
              class="button"
              rel="next"
              href="${PATH}?${queryOf({ ...kept, cursor: nextCursor })}"
              >Older</a
            >`
          : ''
      }
    </nav>
  </div>`;
}
