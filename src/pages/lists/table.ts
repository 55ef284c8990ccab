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

function rowView([name, ...cells]: Listing['rows'][number], columns: string[]): Html {
  const label = (at: number): Html => html`data-label="${columns[at + 1] ?? ''}"`;
  return html`<tr>
    <th scope="row">${name}</th>
    ${cells.map((cell, at) => (cell === '' ? html`<td></td>` : html`<td ${label(at)}>${cell}</td>`))}
  </tr>`;
}

export function listingView({ title, columns, rows, empty }: Listing): Html {
  if (rows.length === 0) {
    return html`<section>
      <h2>${title}</h2>
      <div class="empty">${empty}</div>
    </section>`;
  }
  return html`<section class="card">
    <h2>${title}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="${title}">
      <table class="rows">
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => rowView(row, columns))}
        </tbody>
      </table>
    </div>
  </section>`;
}
