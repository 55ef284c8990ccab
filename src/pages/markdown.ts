import { html, raw } from 'hono/html';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { isCostly } from './costly-markdown.ts';
import type { Html } from './html.ts';

/** Off: images would call third parties; footnotes would put the same ids on a page twice. */
const OFF = [
  'labelStartImage',
  'gfmFootnoteCall',
  'gfmFootnoteDefinition',
  'gfmPotentialFootnoteCall',
];

const options = {
  extensions: [gfm(), { disable: { null: OFF } }],
  htmlExtensions: [gfmHtml()],
};

/**
 * GitHub-flavoured Markdown by strangers as HTML (threats.md S5): raw HTML stays text and only
 * http, https and mailto addresses stay links (micromark's safe mode). Since the result holds no
 * `<` but those of micromark's own tags, the tags can be changed as text.
 */
export function markdown(text: string): Html {
  if (isCostly(text)) return html`<pre class="wrap">${text}</pre>`;
  const safe = micromark(text, options)
    .replaceAll('<a href="', '<a rel="nofollow noopener noreferrer" href="')
    .replaceAll(/<input type="checkbox"[^>]*>/g, (box) =>
      box.replace('type', `aria-label="${box.includes('checked') ? 'done' : 'to do'}" type`),
    )
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return html`<div class="markdown">${raw(safe)}</div>`;
}
