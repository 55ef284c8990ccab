import { setImmediate as turn } from 'node:timers/promises';
import { html } from 'hono/html';
import { isTerminal } from '../../contract/run.ts';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';
import { artifactsView, usageView } from './artifacts-view.ts';
import { changesView } from './changes-view.ts';
import { detailsView } from './details-view.ts';
import { entryView } from './entry-view.ts';
import { followupView } from './followup-view.ts';
import { headView, spokenState } from './head-view.ts';
import { ENTRIES_PER_UPDATE, type RunData } from './load.ts';
import { outcomeView } from './outcome-view.ts';
import { panel } from './panels.ts';
import { planView } from './plan-view.ts';
import { promptView } from './prompt-view.ts';
import { timelineView } from './timeline-view.ts';

export interface RunView extends RunData {
  viewer: Viewer;
  now: Date;
  environmentName?: string;
  /** Shown at the top: the result of the form that was just sent. */
  notice?: { text: string; bad: boolean };
  draft?: string;
  /** Whether this is an earlier part of the activity, without what comes after it. */
  earlierPart?: boolean;
}

function pathOf(view: RunView): string {
  return `/runs/${encodeURIComponent(view.run.run_id)}`;
}

function planPanel(view: RunView): Html | '' {
  if (!view.plan || view.plan.entries.length === 0) return '';
  return html`<section class="card" aria-labelledby="plan-title">
    <h2 id="plan-title">Plan</h2>
    ${planView(view.plan.entries, isTerminal(view.run.state))}
  </section>`;
}

/** Longest that entries are made without a pause for others, in milliseconds. */
const SLICE_MS = 10;

async function entries(view: RunView): Promise<Awaited<Html>> {
  const over = isTerminal(view.run.state);
  const made: (Html | '')[] = [];
  let since = performance.now();
  for (const item of view.items) {
    made.push(entryView(item, view.now, over));
    if (performance.now() - since < SLICE_MS) continue;
    await turn();
    since = performance.now();
  }
  return html`${made}`;
}

function earlierLink(view: RunView): Html | '' {
  const first = view.log.entries[0];
  if (!view.log.has_earlier || !first) return '';
  return html`<p class="more">
    <a class="button" id="earlier" href="${pathOf(view)}?before=${first.position}#activity"
      >Show earlier activity</a
    >
  </p>`;
}

function emptyActivity(view: RunView): string {
  return isTerminal(view.run.state)
    ? 'The agent did nothing that could be shown.'
    : 'Nothing yet. What the agent does appears here as it happens.';
}

function activityView(view: RunView): Html {
  const later = view.earlierPart
    ? html`<p class="more">
        <a class="button" href="${pathOf(view)}#activity">Back to the latest</a>
      </p>`
    : '';
  return html`<section aria-labelledby="activity-title" id="activity">
    <h2 id="activity-title">Activity</h2>
    ${earlierLink(view)}
    <ol class="plain activity" id="entries">
      ${entries(view)}
    </ol>
    <p class="empty only-if-empty">${emptyActivity(view)}</p>
    ${later}
  </section>`;
}

/** The parts that change while a run works, each with its id and version. */
function panels(view: RunView) {
  return {
    head: panel('head', headView(view.run, view.viewer, view.now)),
    outcome: panel('outcome', outcomeView(view.run)),
    plan: panel('plan', planPanel(view)),
    changes: panel('changes', changesView(view.changes?.event)),
    details: panel('details', detailsView(view.run, view.agent, view.environmentName)),
    artifacts: panel('artifacts', artifactsView(view.run)),
    usage: panel('usage', usageView(view.run)),
    timeline: panel('timeline', timelineView(view.timeline)),
  };
}

/** The log is read before the state: of a run that has just ended, its last entries may be missing. */
const SETTLES_WITHIN_MS = 30_000;

/** Whether the page should still ask for news. */
function isActive({ run, log, now, earlierPart }: RunView): boolean {
  if (earlierPart) return false;
  if (!isTerminal(run.state) || log.entries.length >= ENTRIES_PER_UPDATE) return true;
  return now.getTime() - Date.parse(run.finished_at ?? run.updated_at) < SETTLES_WITHIN_MS;
}

function liveAttributes(view: RunView): Html {
  return html`data-live="${pathOf(view)}/updates" data-after="${view.log.next_after}"
  data-active="${isActive(view) ? 'yes' : 'no'}"`;
}

/** The body of the run page. It needs no script. */
export function runView(view: RunView): Html {
  const { notice, run } = view;
  const part = panels(view);
  return html`<div class="page run" id="run" ${liveAttributes(view)}>
    <nav class="crumbs" aria-label="Breadcrumb"><a href="/runs">Runs</a></nav>
    ${notice ? html`<p class="${notice.bad ? 'alert' : 'notice'}" role="${notice.bad ? 'alert' : 'status'}">${notice.text}</p>` : ''}
    ${part.head}
    <p class="visually-hidden" role="status" id="spoken">${spokenState(run)}</p>
    <p class="connection" id="connection" role="status" hidden></p>
    <div class="columns">
      <div class="main-column">
        ${part.outcome} ${promptView(run)} ${part.plan} ${activityView(view)} ${part.changes}
        ${followupView(run, view.viewer, view.draft ?? '')}
      </div>
      <aside aria-label="About this run">
        ${part.details} ${part.artifacts} ${part.usage} ${part.timeline}
        <p><a class="button" href="${pathOf(view)}/transcript" download>Download transcript</a></p>
      </aside>
    </div>
  </div>`;
}

/** What is new since `after`, for the script to insert. */
export function updateView(view: RunView, after: number): Html {
  const { changes, ...rest } = panels(view);
  const changed = view.changes !== undefined && view.changes.position > after;
  return html`<div id="run" ${liveAttributes(view)}></div>
    <p id="spoken">${spokenState(view.run)}</p>
    ${Object.values(rest)} ${changed ? changes : ''}
    <ol>
      ${entries(view)}
    </ol>`;
}

/** An earlier part of the activity, for the script to insert before what is shown. */
export function earlierView(view: RunView): Html {
  return html`${earlierLink(view)}
    <ol>
      ${entries(view)}
    </ol>`;
}
