import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Html } from '../html.ts';

const ROWS_SHOWN = 50;
const FIND_MAX = 200;

/** The page that a list is on, and its query, which says what part of each list is shown. */
export interface ListPlace {
  path: string;
  query: Record<string, string>;
}

/** The search of a long list, and the ways to its other parts. */
export interface ListWays {
  find: Html;
  parts: Html | '';
}

/** One part of a list. */
export interface ListPart<T> {
  shown: readonly T[];
  /** Of a list that one part does not hold. */
  ways?: ListWays;
}

export const placeOf = (c: Context, path: string): ListPlace => ({ path, query: c.req.query() });

/** The part of a list that the query names, or else the first. */
export function partOf<T>(place: ListPlace, name: string, all: readonly T[]): ListPart<T> {
  if (all.length <= ROWS_SHOWN) return { shown: all };
  const { path, query } = place;
  const field = `find-${name}`;
  const sought = (query[field] ?? '').slice(0, FIND_MAX).toWellFormed();
  const found = all.filter((it) => says(it, sought.toLowerCase()));
  const last = Math.max(1, Math.ceil(found.length / ROWS_SHOWN));
  const asked = /^\d{1,9}$/.exec(query[name] ?? '')?.[0];
  const at = Math.min(last, Math.max(1, Number(asked ?? 1)));
  const from = (at - 1) * ROWS_SHOWN;
  const shown = found.slice(from, from + ROWS_SHOWN);
  const way = (to: number, label: string): Html => {
    const address = new URLSearchParams({ ...query, [name]: String(to) });
    return html`<a class="button" href="${path}?${address.toString()}">${label}</a>`;
  };
  const { [field]: _, [name]: __, ...others } = query;
  const words = name.replaceAll('-', ' ');
  const find = html`<form class="find-rows" method="get" action="${path}" role="search">
    ${Object.entries(others).map(
      ([key, value]) => html`<input type="hidden" name="${key}" value="${value}" />`,
    )}
    <input
      type="search"
      name="${field}"
      value="${sought}"
      maxlength="${FIND_MAX}"
      aria-label="Search ${words}"
      placeholder="Search ${all.length} ${words}"
    />
    <button>Find</button>
  </form>`;
  const parts = html`<nav class="buttons" aria-label="Parts of the list of ${words}">
    ${at > 1 ? way(at - 1, 'Previous') : ''}
    <span class="muted"
      >${shown.length === 0 ? `None of ${all.length} says that.` : `${from + 1}–${from + shown.length} of ${found.length}`}</span
    >
    ${at < last ? way(at + 1, 'Next') : ''}
  </nav>`;
  return { shown, ways: { find, parts } };
}

/** Whether a text stands anywhere in what a row is made of: names, ids, descriptions. */
function says(it: unknown, sought: string): boolean {
  if (typeof it === 'string') return it.toLowerCase().includes(sought);
  return typeof it === 'object' && it !== null && Object.values(it).some((of) => says(of, sought));
}
