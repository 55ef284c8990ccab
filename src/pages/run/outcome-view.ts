import { html } from 'hono/html';
import type { ArtifactItem } from '../../contract/artifact.ts';
import { isTerminal, type RunItem } from '../../contract/run.ts';
import type { Html } from '../html.ts';
import { htmlMarkdown } from '../markdown.ts';
import { lightStart, webUrl } from '../text.ts';
import { remedyFor } from './remedy.ts';
import { restView } from './rest-view.ts';

const WEIGHT = 5000;

type PullRequest = Extract<ArtifactItem, { artifact_type: 'PULL_REQUEST' }>;

/** `owner/name #12` from a pull request's URL on GitHub or a similar service. */
export function shortName(url: string): string {
  const match = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/pull\/(\d+)/.exec(url);
  return match ? `${match[1]} #${match[2]}` : url;
}

/** A link to another site; plain text if the URL is not http(s). */
export function outLink(url: string, text: string): Html {
  const href = webUrl(url);
  if (href === undefined) return html`<bdi>${text}</bdi>`;
  return html`<a href="${href}" rel="noopener noreferrer"><bdi>${text}</bdi></a>`;
}

function pullRequestView({ data }: PullRequest): Html {
  const status = data.status === undefined ? '' : html`<span class="tag">${data.status}</span>`;
  return html`<li class="pull-request">
    <span class="pr-icon" aria-hidden="true">⇄</span>
    <span>
      <strong>Pull request ${outLink(data.url, shortName(data.url))}</strong> ${status}<br />
      <span class="muted">from <code>${data.branch}</code></span>
    </span>
  </li>`;
}

/** Markdown for the agent's own message, plain text for the service's. */
function spoken(run: RunItem, text: string): Html {
  const isAgents = run.state === 'SUCCEEDED' || run.state === 'BLOCKED';
  return isAgents ? htmlMarkdown(text) : html`<p class="wrap">${text}</p>`;
}

function messageView(run: RunItem, isWhole: boolean): Html | '' {
  const text = run.status_message?.message;
  const shown = isWhole ? text : text && lightStart(text, WEIGHT);
  const remedy = remedyFor(run);
  if (text === undefined && remedy === undefined) return '';
  const code = run.status_message?.error_code;
  return html`<div
    class="status-message ${isTerminal(run.state) ? run.state.toLowerCase() : 'working'}"
  >
    ${text === undefined || shown === undefined ? '' : html`${spoken(run, shown)} ${restView(shown, text)}`}
    ${remedy === undefined ? '' : html`<p><strong>What to do:</strong> ${remedy}</p>`}
    ${code === undefined ? '' : html`<p class="muted">Code <code>${code}</code></p>`}
  </div>`;
}

/** How the run ended or where it stands, and its pull requests. */
export function outcomeView(run: RunItem, isWhole = false): Html | '' {
  const pullRequests = run.artifacts.filter((it) => it.artifact_type === 'PULL_REQUEST');
  const message = messageView(run, isWhole);
  if (message === '' && pullRequests.length === 0) return '';
  return html`<section class="outcome" aria-label="Outcome">
    ${message}
    ${
      pullRequests.length === 0
        ? ''
        : html`<ul class="plain">
            ${pullRequests.map(pullRequestView)}
          </ul>`
    }
  </section>`;
}
