import { html } from 'hono/html';
import type { Environment } from '../../contract/environment.ts';
import { runState, type RunItem } from '../../contract/run.ts';
import type { Statistics } from '../../contract/statistics.ts';
import { badge } from '../badge.ts';
import { lineCounts } from '../code-view.ts';
import { environmentName } from '../compose/choices.ts';
import { formatCount, formatUsd, runPath } from '../format.ts';
import type { Html } from '../html.ts';
import { tokenField, type Viewer } from '../layout.ts';
import { inOrder } from '../lists/in-order.ts';
import { SOURCES, requesterOf, sourceWords } from '../run/details-view.ts';
import { panel } from '../run/panels.ts';
import { STATES } from '../run/state.ts';
import { select, type Option } from '../select.ts';
import { reveal } from '../text.ts';
import { ago, workedView } from '../time-view.ts';
import { LED_BY, isFiltered, writeFilter, type RunsFilter } from './filter.ts';

export interface RunList {
  runs: RunItem[];
  /** Version of this list; the script waits for another one. */
  etag: string;
  nextCursor?: string;
  filter: RunsFilter;
  environments: Environment[];
  /** The current step of each working run, by the run's id. */
  steps: Map<string, string>;
  /** How many runs are waiting, working and done. */
  counts: Statistics;
  viewer: Viewer;
  now: Date;
}

/** The most characters of a question in a row; the run's page has all of it. */
const QUESTION_MAX = 400;

const LED_TO: Record<(typeof LED_BY)[number], (value: string) => string> = {
  schedule: () => 'of one schedule',
  after: (value) => `since ${value.slice(0, 10)}`,
  before: (value) => `before ${value.slice(0, 10)}`,
  repository: (value) => value,
  agent: () => 'by one agent',
  model: (value) => value,
  person: (value) => (value.startsWith('@') ? value : 'of one person'),
  without: (value) => `no ${value}`,
  order: () => 'oldest first',
};

/** The page title, with a dot while a run waits for an answer. */
export function runListTitle({ counts }: RunList): string {
  return counts.now.blocked > 0 ? '• Runs' : 'Runs';
}

function liveAttributes(list: RunList): Html {
  const address = `/runs/updates?${writeFilter(list.filter)}`;
  return html`data-live="${address}" data-after="${list.etag}" data-active="yes"
  data-now="${list.now.getTime()}" data-title="${runListTitle(list)} · Runlink"`;
}

/** The body of the list page: composer, filters, rows, links to other pages. */
export function runListView(list: RunList, composer: Html): Html {
  return html`<div class="page" id="run" ${liveAttributes(list)}>
    <h1 class="visually-hidden">Runs</h1>
    ${composer} ${tabs(list)} ${filterForm(list)}
    <p class="connection" id="connection" role="status" hidden></p>
    ${rowsPanel(list)}
  </div>`;
}

/** The current rows, for the script to insert. */
export function runListUpdate(list: RunList): Html {
  return html`<div id="run" ${liveAttributes(list)}></div>
    ${tabs(list)} ${rowsPanel(list)}`;
}

function filterForm({ filter, environments }: RunList): Html {
  const environmentOptions = inOrder(environments, environmentName).map((it): Option => [
    it.uid,
    environmentName(it),
  ]);
  const stateOptions = runState.options.map((state): Option => [state, STATES[state].label]);
  return html`<form class="filters" method="get" action="/runs" role="search" data-auto-submit>
    <label class="grow"
      ><span class="visually-hidden">Search</span>
      <input
        type="search"
        name="q"
        value="${filter.q}"
        placeholder="Search titles and prompts"
        maxlength="1024"
        aria-keyshortcuts="/"
    /></label>
    ${select(
      'state',
      'State',
      [
        ['', 'Any state'],
        ['active', 'Not ended'],
        ['ended', 'Ended'],
        ['done', 'Done'],
        ...stateOptions,
      ],
      filter.state,
    )}
    ${select('source', 'Source', [['', 'Any source'], ...Object.entries(SOURCES)], filter.source)}
    ${select(
      'environment',
      'Environment',
      [['', 'Any environment'], ...environmentOptions, ['empty-environment', 'No environment']],
      filter.environment,
    )}
    ${ledHere(filter)}
    <button>Filter</button>
  </form>`;
}

/** Filters that a link from another page set, kept as hidden fields, and a link to remove them. */
function ledHere(filter: RunsFilter): Html | '' {
  const kept = LED_BY.filter((name) => filter[name] !== '');
  if (kept.length === 0) return '';
  return html`${kept.map(
      (name) =>
        html`<input type="hidden" name="${name}" value="${filter[name]}" />
          <span class="tag"><bdi>${LED_TO[name](filter[name])}</bdi></span>`,
    )} <a class="button" href="/runs">All runs</a>`;
}

/** The four tabs, with their numbers of runs. */
function tabs({ filter, counts }: RunList): Promise<Html> {
  const { cursor: _, ...kept } = filter;
  const tab = (state: RunsFilter['state'], label: string, count?: number): Html =>
    html`<li>
      <a
        href="/runs?${writeFilter({ ...kept, state, order: state === 'BLOCKED' ? 'oldest' : '' })}"
        ${state === filter.state ? html`aria-current="page"` : ''}
        >${label}${count ? html` <span class="count">${formatCount(count)}</span>` : ''}</a
      >
    </li>`;
  const { blocked, queued, working } = counts.now;
  const ended = counts.total.runs;
  return panel(
    'tabs',
    html`<nav class="tabs" aria-label="Lists">
      <ul>
        ${tab('BLOCKED', 'Needs you', blocked)} ${tab('active', 'Working', queued + working)}
        ${tab('done', 'Done', ended - counts.total.blocked)}
        ${tab('', 'All', ended + queued + working)}
      </ul>
    </nav>`,
  );
}

/** The question of a blocked run, and a box for the answer. */
function answerForm(run: RunItem, viewer: Viewer): Html {
  const action = `${runPath(run.run_id)}/followups`;
  const field = `answer-${run.run_id}`;
  const question = run.status_message?.message ?? '';
  return html`<form class="answer" method="post" action="${action}">
    ${tokenField(viewer, action)}<input type="hidden" name="back" value="list" />
    <input type="hidden" name="once" value="answer-${run.executions.length}" />
    <label for="${field}" class="wrap">${question.slice(0, QUESTION_MAX).toWellFormed()}</label>
    <textarea id="${field}" name="message" rows="1" required placeholder="Your answer"></textarea>
    <button>Answer</button>
  </form>`;
}

function pullRequestTag(run: RunItem): Html | '' {
  const pullRequest = run.artifacts.findLast((it) => it.artifact_type === 'PULL_REQUEST');
  if (!pullRequest) return '';
  return html`<span class="tag">PR ${pullRequest.data.status ?? ''}</span>`;
}

function linesView({ changed_lines: lines }: RunItem): Html | '' {
  if (!lines || lines.additions + lines.deletions === 0) return '';
  return lineCounts(lines.additions, lines.deletions);
}

function part(text: Html | string | undefined): Html | '' {
  return text ? html`<span>${text}</span>` : '';
}

function runRow(run: RunItem, { now, steps, viewer }: RunList): Html {
  const repository = run.metadata?.['runlink.repository'];
  const name = requesterOf(run) ?? run.creator?.display_name;
  const step = steps.get(run.run_id);
  const cost = run.request_usage?.inference_cost_usd;
  return html`<li class="run-row">
    <div class="run-state">${badge(run.state)}</div>
    <div class="run-what">
      <a href="${runPath(run.run_id)}"><bdi>${run.title}</bdi></a>
      <p class="muted">
        ${part(repository && html`<bdi>${repository}</bdi>`)}
        ${part(name && html`<bdi>${name}</bdi>`)} ${part(sourceWords(run))}
        ${part(run.executions.at(-1)?.harness)} ${part(cost === undefined ? '' : formatUsd(cost))}
        ${linesView(run)} ${pullRequestTag(run)}
      </p>
      ${step ? html`<p class="step">${reveal(step)}</p>` : ''}
      ${run.state === 'BLOCKED' ? answerForm(run, viewer) : ''}
    </div>
    <div class="run-when muted">${workedView(run, now) ?? ''} ${ago(run.created_at, now)}</div>
  </li>`;
}

function emptyView(filter: RunsFilter): Html {
  if (isFiltered(filter)) {
    return html`<p class="empty">No run matches. <a href="/runs">Show all runs</a></p>`;
  }
  return html`<div class="empty">
    <p><strong>No runs yet.</strong></p>
    <p>
      Say above what should be done, comment <code>/agent fix the failing test</code> on an issue,
      or use <code>runlink run</code> with a <a href="/settings">key of yours</a>.
    </p>
  </div>`;
}

function pagesView({ filter, nextCursor }: RunList): Html {
  const { cursor, ...first } = filter;
  const to = (target: RunsFilter): string => `/runs?${writeFilter(target)}`;
  const [back, on] = first.order === 'oldest' ? ['Oldest', 'Newer'] : ['Newest', 'Older'];
  return html`<nav class="pager" aria-label="Pages">
    ${cursor === undefined ? '' : html`<a class="button" href="${to(first)}">${back}</a>`}
    ${
      nextCursor === undefined
        ? ''
        : html`<a class="button" rel="next" href="${to({ ...first, cursor: nextCursor })}"
            >${on}</a
          >`
    }
  </nav>`;
}

function rowsPanel(list: RunList): Promise<Html> {
  const rows = html`<ul class="plain run-rows">
    ${list.runs.map((run) => runRow(run, list))}
  </ul>`;
  const body = list.runs.length === 0 ? emptyView(list.filter) : rows;
  return panel('rows', html`${body} ${pagesView(list)}`);
}
