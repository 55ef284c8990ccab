import { html } from 'hono/html';
import type { Html } from '../html.ts';

/** A table. While it is empty, `empty` says what belongs there. */
export interface Listing {
  title: string;
  columns: string[];
  /** The first cell of a row names it. */
  rows: (Html | string)[][];
  empty: Html | string;
}

function rowView([name, ...cells]: Listing['rows'][number]): Html {
  return html`<tr>
    <th scope="row">${name}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}

export function listingView({ title, columns, rows, empty }: Listing): Html {
  if (rows.length === 0) {
    return html`<section aria-label="${title}">
      <h2>${title}</h2>
      <div class="empty">${empty}</div>
    </section>`;
  }
  return html`<section class="card" aria-label="${title}">
    <h2>${title}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="${title}">
      <table class="rows">
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(rowView)}
        </tbody>
      </table>
    </div>
  </section>`;
}
