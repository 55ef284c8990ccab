import { html } from 'hono/html';
import type { Html } from './html.ts';
import { restView } from './run/rest-view.ts';
import { lightStart } from './text.ts';

/** The most of a text that a page or a form shows at first, in bytes, compressed. */
const WEIGHT = 30_000;
const HALF_AT_END = /[\uD800-\uDBFF]$/;

/** The start of a long text. Nothing is cut where `isWhole`. */
export function startOf(text: string, isWhole: boolean): string {
  if (isWhole) return text;
  const start = text.slice(0, lightStart(text, WEIGHT).length);
  return start.length < text.length ? start.replace(HALF_AT_END, '') : start;
}

/** For a form whose box shows the start of a text: the rest stays, and a link to edit all of it. */
export function keptRest(start: string, text: string, whole: string): Html | '' {
  const left = text.length - start.length;
  if (left === 0) return '';
  return html`<input type="hidden" name="kept" value="${start.length}" />
    ${left.toLocaleString('en')} more characters follow and stay as they are.
    <a href="${whole}">Edit all of it</a>`;
}

/** What a form's box says, and after it what the box did not show of the stored text. */
export function withRest(typed: string, stored: string, kept: unknown): string {
  return typeof kept === 'string' && /^\d{1,7}$/.test(kept)
    ? typed + stored.slice(Number(kept))
    : typed;
}

/** A text as it stands, or its start with a link to all of it. */
export function longText(text: string, isWhole: boolean): Html {
  const start = startOf(text, isWhole);
  return html`<span class="wrap">${start}</span> ${restView(start, text)}`;
}
