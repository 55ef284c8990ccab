import { html } from 'hono/html';
import type { Html } from '../html.ts';

/** Of a text that was cut to keep its page light, the link to all of it. */
export function restView(shown: string, text: string, query = ''): Html | '' {
  const left = text.length - shown.length;
  return left > 0
    ? html`<p><a href="?${query}all=yes">Show ${left.toLocaleString('en')} characters more</a></p>`
    : '';
}
