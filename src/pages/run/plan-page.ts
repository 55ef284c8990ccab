import { html } from 'hono/html';
import type { RunItem } from '../../contract/run.ts';
import type { Html } from '../html.ts';
import { markdown } from '../markdown.ts';

/** A plan artifact on a page of its own. */
export function planPage(run: RunItem, title: string, content: string): Html {
  return html`<div class="page medium">
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href="/runs">Runs</a> /
      <a href="/runs/${encodeURIComponent(run.run_id)}"><bdi>${run.title}</bdi></a>
    </nav>
    <h1><bdi>${title}</bdi></h1>
    <div class="card">${markdown(content)}</div>
  </div>`;
}
