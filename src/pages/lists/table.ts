import { html } from 'hono/html';
import type { Html } from '../html.ts';
import type { ListWays } from './part.ts';

interface Rows {
  /** Names the table for screen readers. */
  title: string;
  /** The last may have no name, if it holds the buttons. */
  columns: string[];
  /** The first cell of each row names it. */
  rows: (Html | string)[][];
  /** Index of the row that was just added. */
  fresh?: number;
  ways?: ListWays | undefined;
}

/** A table; `empty` is the text for an empty one. */
export interface Listing extends Rows {
  empty: Html | string;
}

export function rowsView({ title, columns, rows, fresh, ways }: Rows): Html {
  const heads = columns.map((column) =>
    column === ''
      ? html`<th scope="col"><span class="visually-hidden">Actions</span></th>`
      : html`<th scope="col">${column}</th>`,
  );
  return html`${ways?.find ?? ''}
    <div class="scroll" tabindex="0" role="region" aria-label="${title}">
      <table class="rows">
        <thead>
          <tr>
            ${heads}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row, at) => rowView(row, columns, at === fresh))}
        </tbody>
      </table>
    </div>
    ${ways?.parts ?? ''}`;
}

export function listingView({ empty, ...rows }: Listing): Html {
  if (rows.rows.length === 0 && !rows.ways) {
    return html`<section>
      <h2>${rows.title}</h2>
      <div class="empty">${empty}</div>
    </section>`;
  }
  return html`<section class="card">
    <h2>${rows.title}</h2>
    ${rowsView(rows)}
  </section>`;
}

function rowView(
  [name, ...cells]: Rows['rows'][number],
  columns: string[],
  isFresh: boolean,
): Html {
  const cellView = (cell: Html | string, at: number): Html | '' => {
    const label = columns[at + 1];
    if (cell === '') return html`<td></td>`;
    return label
      ? html`<td data-label="${label}">${cell}</td>`
      : html`<td class="end">${cell}</td>`;
  };
  return html`<tr class="${isFresh ? 'fresh' : ''}">
    <th scope="row">${name}</th>
    ${cells.map(cellView)}
  </tr>`;
}
