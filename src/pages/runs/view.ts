import { html } from 'hono/html';
import type { Environment } from '../../contract/environment.ts';
import { runState, type RunItem } from '../../contract/run.ts';
import { badge } from '../badge.ts';
import type { Html } from '../html.ts';
import { SOURCES, actorOf, sourceOf } from '../run/details-view.ts';
import { panel } from '../run/panels.ts';
import { STATES } from '../run/state.ts';
import { ago, workedView } from '../time-view.ts';
import { isFiltered, writeFilter, type Filter } from './filter.ts';

export interface RunList {
  runs: RunItem[];
  /** Version of this answer; the script waits for another one. */
  etag: string;
  nextCursor?: string;
  filter: Filter;
  environments: Environment[];
  now: Date;
}

function option(value: string, label: string, chosen: string): Html {
  return html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${label}</option>`;
}

function filterForm({ filter, environments }: RunList): Html {
  const environmentOptions = environments.map(({ uid, config }) =>
    option(uid, config.name ?? uid, filter.environment),
  );
  return html`<form class="filters" method="get" action="/runs" role="search" data-auto-submit>
    <label class="grow"
      ><span class="visually-hidden">Search</span>
      <input
        type="search"
        name="q"
        value="${filter.q}"
        placeholder="Search titles and prompts"
        maxlength="1024"
    /></label>
    <label
      ><span class="visually-hidden">State</span>
      <select name="state">
        ${option('', 'Any state', filter.state)} ${option('active', 'Not ended', filter.state)}
        ${runState.options.map((state) => option(state, STATES[state].label, filter.state))}
      </select></label
    >
    <label
      ><span class="visually-hidden">Source</span>
      <select name="source">
        ${option('', 'Any source', filter.source)}
        ${Object.entries(SOURCES).map(([source, label]) => option(source, label, filter.source))}
      </select></label
    >
    <label
      ><span class="visually-hidden">Environment</span>
      <select name="environment">
        ${option('', 'Any environment', filter.environment)} ${environmentOptions}
        ${option('empty-environment', 'No environment', filter.environment)}
      </select></label
    >
    ${
      filter.schedule === ''
        ? ''
        : html`<input type="hidden" name="schedule" value="${filter.schedule}" />
            <a class="button" href="/runs">Any schedule</a>`
    }
    <button>Filter</button>
  </form>`;
}

function runRow(run: RunItem, now: Date): Html {
  const repository = run.metadata?.['runlink.repository'];
  const pullRequests = run.artifacts.filter((it) => it.artifact_type === 'PULL_REQUEST').length;
  const name = actorOf(run) ?? run.creator?.display_name;
  return html`<li class="run-row">
    <div class="run-state">${badge(run.state)}</div>
    <div class="run-what">
      <a href="/runs/${encodeURIComponent(run.run_id)}"><bdi>${run.title}</bdi></a>
      <p class="muted">
        ${repository === undefined ? '' : html`<span><bdi>${repository}</bdi></span>`}
        ${name === undefined ? '' : html`<span><bdi>${name}</bdi></span>`}
        <span>${sourceOf(run)}</span>
        ${pullRequests === 0 ? '' : html`<span class="tag">PR</span>`}
      </p>
    </div>
    <div class="run-when muted">${workedView(run, now) ?? ''} ${ago(run.created_at, now)}</div>
  </li>`;
}

function emptyView(filter: Filter): Html {
  if (isFiltered(filter)) {
    return html`<p class="empty">No run matches. <a href="/runs">Show all runs</a></p>`;
  }
  return html`<div class="empty">
    <p><strong>No runs yet.</strong></p>
    <p>
      Comment <code>/agent fix the failing test</code> on an issue, or send
      <code>POST /api/v1/agent/runs</code> with a <a href="/settings">key of yours</a>.
    </p>
  </div>`;
}

function pagesView({ filter, nextCursor }: RunList): Html {
  const { cursor, ...first } = filter;
  const to = (target: Filter): string => `/runs?${writeFilter(target)}`;
  return html`<nav class="pager" aria-label="Pages">
    ${cursor === undefined ? '' : html`<a class="button" href="${to(first)}">Newest</a>`}
    ${
      nextCursor === undefined
        ? ''
        : html`<a class="button" rel="next" href="${to({ ...first, cursor: nextCursor })}"
            >Older</a
          >`
    }
  </nav>`;
}

function rowsPanel(list: RunList): Promise<Html> {
  const rows = html`<ul class="plain run-rows">
    ${list.runs.map((run) => runRow(run, list.now))}
  </ul>`;
  const body = list.runs.length === 0 ? emptyView(list.filter) : rows;
  return panel('rows', html`${body} ${pagesView(list)}`);
}

function liveAttributes({ etag, filter }: RunList): Html {
  const address = `/runs/updates?${writeFilter(filter)}`;
  return html`data-live="${address}" data-after="${etag}" data-active="yes"`;
}

/** The body of the list: filters, rows, links to other pages. */
export function runListView(list: RunList): Html {
  return html`<div class="page" id="run" ${liveAttributes(list)}>
    <h1>Runs</h1>
    ${filterForm(list)}
    <p class="connection" id="connection" role="status" hidden></p>
    ${rowsPanel(list)}
  </div>`;
}

/** The rows as they are now, for the script to insert. */
export function runListUpdate(list: RunList): Html {
  return html`<div id="run" ${liveAttributes(list)}></div>
    ${rowsPanel(list)}`;
}
