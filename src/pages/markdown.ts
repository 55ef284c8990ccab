import { html, raw } from 'hono/html';
import { isCostly } from './costly-markdown.ts';
import type { Html } from './html.ts';
import { onPageThread } from './page-jobs.ts';

/**
 * Renders GitHub-flavoured Markdown from others; as plain text if that would take too long
 * (threats.md S9).
 */
export async function htmlMarkdown(text: string): Promise<Awaited<Html>> {
  const rendered = isCostly(text) ? undefined : (await onPageThread({ markdown: text })).html;
  if (rendered === undefined) return html`<pre class="wrap">${text}</pre>`;
  return html`<div class="markdown">${raw(rendered)}</div>`;
}
