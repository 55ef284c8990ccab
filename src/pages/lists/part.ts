import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Html } from '../html.ts';

const ROWS_SHOWN = 50;

/** The page that a list is on, and its query, which says what part of each list is shown. */
export interface ListPlace {
  path: string;
  query: Record<string, string>;
}

/** One part of a long list, with links to the others. */
export interface ListPart<T> {
  shown: readonly T[];
  ways: Html | '';
}

export const placeOf = (c: Context, path: string): ListPlace => ({ path, query: c.req.query() });

/** The part of a list that the query names, or else the first. */
export function partOf<T>(
  { path, query }: ListPlace,
  name: string,
  all: readonly T[],
): ListPart<T> {
  if (all.length <= ROWS_SHOWN) return { shown: all, ways: '' };
  const last = Math.ceil(all.length / ROWS_SHOWN);
  const asked = /^\d{1,9}$/.exec(query[name] ?? '')?.[0];
  const at = Math.min(last, Math.max(1, Number(asked ?? 1)));
  const from = (at - 1) * ROWS_SHOWN;
  const shown = all.slice(from, from + ROWS_SHOWN);
  const way = (to: number, label: string): Html => {
    const address = new URLSearchParams({ ...query, [name]: String(to) });
    return html`<a class="button" href="${path}?${address.toString()}">${label}</a>`;
  };
  const ways = html`<nav class="buttons" aria-label="Parts of the list of ${name}">
    ${at > 1 ? way(at - 1, 'Previous') : ''}
    <span class="muted">${from + 1}–${from + shown.length} of ${all.length}</span>
    ${at < last ? way(at + 1, 'Next') : ''}
  </nav>`;
  return { shown, ways };
}
