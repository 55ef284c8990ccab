import { html } from 'hono/html';
import type { Html } from './html.ts';

/** A part of a page with its heading; `name` must be unique on the page. */
export function card(name: string, title: string, body: Html): Html {
  return html`<section class="card" aria-labelledby="${name}-title">
    <h2 id="${name}-title">${title}</h2>
    ${body}
  </section>`;
}

export type Fact = readonly [label: string, value: Html | string | undefined];

/** Labels and values, without those that have no value. */
export function factsView(facts: readonly Fact[]): Html {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  return html`<dl class="facts">
    ${known.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
