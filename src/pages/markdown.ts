import { html, raw } from 'hono/html';
import { isCostly } from './costly-markdown.ts';
import type { Html } from './html.ts';
import { onPageThread } from './page-jobs.ts';

/** GitHub-flavoured Markdown by strangers; as it was written where it takes too long (threats.md S9). */
export async function htmlMarkdown(text: string): Promise<Awaited<Html>> {
  const rendered = isCostly(text) ? undefined : (await onPageThread({ markdown: text })).html;
  if (rendered === undefined) return html`<pre class="wrap">${text}</pre>`;
  return html`<div class="markdown">${raw(rendered)}</div>`;
}
