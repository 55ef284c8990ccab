import { hash } from 'node:crypto';
import { html } from 'hono/html';
import type { Html } from '../html.ts';

/**
 * A part of the run page that live updates replace as a whole. Its version is a hash of its
 * content, so that the script can skip unchanged parts.
 */
export async function panel(id: string, body: Html | ''): Promise<Html> {
  const text = (await body).toString();
  const version = hash('sha256', text, 'base64url').slice(0, 12);
  return html`<div id="${id}" data-v="${version}">${body}</div>`;
}
