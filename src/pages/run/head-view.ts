import { html } from 'hono/html';
import { isTerminal, type RunItem } from '../../contract/run.ts';
import { badge } from '../badge.ts';
import { formatUsd, runPath } from '../format.ts';
import type { Html } from '../html.ts';
import { tokenField, type Viewer } from '../layout.ts';
import { ago, elapsedView, workedView } from '../time-view.ts';
import { requesterOf } from './details-view.ts';
import { outLink, shortName } from './outcome-view.ts';
import { STATES } from './state.ts';

/**
 * Id of the retry form. Live updates replace the button, but not the field that makes the form
 * count once.
 */
export const RETRY_FORM = 'retry';

/** State, title, time, cost and pull request, and the buttons to cancel or retry. */
export function headView(run: RunItem, viewer: Viewer | undefined, now: Date): Html {
  const name = viewer && (requesterOf(run) ?? run.creator?.display_name);
  const cost = run.request_usage?.inference_cost_usd;
  const pullRequest = run.artifacts.findLast((it) => it.artifact_type === 'PULL_REQUEST')?.data;
  return html`<div class="run-head">
    <div>
      <h1 title="${run.title}"><bdi>${run.title}</bdi></h1>
      <p class="sub">
        ${badge(run.state)}
        <span>${timing(run, now)}</span>
        ${cost === undefined ? '' : html`<span>${formatUsd(cost)}</span>`}
        ${
          pullRequest === undefined
            ? ''
            : html`<span>
                ${outLink(pullRequest.url, shortName(pullRequest.url))} ${pullRequest.status ?? ''}
              </span>`
        }
        <span class="wide"
          >created
          ${ago(run.created_at, now)}${name === undefined ? '' : html` by <bdi>${name}</bdi>`}</span
        >
      </p>
    </div>
    ${viewer ? actions(run, viewer) : ''}
  </div>`;
}

/** What a screen reader says when the state changes. */
export function spokenState(run: RunItem): string {
  const { label, meaning } = STATES[run.state];
  return `${label}. ${meaning}`;
}

function retryForm(run: RunItem, viewer: Viewer): Html {
  const id = encodeURIComponent(run.run_id);
  const action = `${runPath(run.run_id)}/retry`;
  return html`<form method="post" action="${action}" class="buttons" id="${RETRY_FORM}">
    ${tokenField(viewer, action)}
    <a class="button" href="/new?from=${id}">Duplicate and edit</a>
    <button title="Start the same anew, as a run of its own">Retry</button>
  </form>`;
}

function actions(run: RunItem, viewer: Viewer): Html | '' {
  if (isTerminal(run.state)) return retryForm(run, viewer);
  if (!run.is_run_type_cancellable) return '';
  const action = `${runPath(run.run_id)}/cancel`;
  return html`<form
    method="post"
    action="${action}"
    data-confirm="Cancel this run? What the agent did so far is kept."
  >
    ${tokenField(viewer, action)}
    <button class="danger">Cancel run</button>
  </form>`;
}

function timing(run: RunItem, now: Date): Html {
  if (run.state === 'QUEUED' || run.state === 'PENDING') {
    const since = run.executions.at(-1)?.queued_at ?? run.created_at;
    return html`waiting for ${elapsedView(since, null, now)}. ${run.waiting?.message ?? ''}`;
  }
  const worked = workedView(run, now);
  if (!worked) return html`ended ${ago(run.finished_at ?? run.updated_at, now)}`;
  return html`${run.finished_at ? 'took' : 'for'} <strong>${worked}</strong>`;
}
