import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Html } from './html.ts';
import { FORM_MAX_BYTES } from './security.ts';

/** Form fields that people write texts in. */
const WRITTEN = ['name', 'message', 'prompt', 'description', 'skills', 'cron'];

/** The page that a form was on, or else the list of runs. */
export function pageOfForm(c: Context): string {
  const from = URL.parse(c.req.header('referer') ?? '');
  return from && from.host === new URL(c.req.url).host ? from.pathname + from.search : '/runs';
}

/** Shows what somebody wrote into a form that was refused, so that it is not lost. */
export async function keptWords(c: Context): Promise<Html | ''> {
  const length = Number(c.req.header('content-length') ?? Infinity);
  // A form that another site sent holds nothing that the person wrote (threats.md S11).
  const isForeign = c.req.header('sec-fetch-site')?.endsWith('-site');
  if (c.req.method !== 'POST' || isForeign || length > FORM_MAX_BYTES) return '';
  const form: Record<string, unknown> = await c.req.parseBody().catch(() => ({}));
  const words = WRITTEN.map((name) => form[name]).filter((it) => typeof it === 'string' && it);
  if (words.length === 0) return '';
  return html`<div class="stack field">
    <label for="kept">What you wrote was not sent. Copy it to send it again:</label>
    <textarea id="kept" rows="4" readonly>${words.join('\n\n')}</textarea>
  </div>`;
}
