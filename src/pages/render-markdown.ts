import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { highlightFences } from './highlight.ts';

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

/** Links that micromark emptied, and those that would lead to a page of ours: they stay text. */
const NOWHERE = /<a href="(?!https?:\/\/|mailto:)[^"]*">/g;

/**
 * Markdown of others as HTML (threats.md S5): raw HTML stays text and only http, https and mailto
 * addresses stay links (micromark's safe mode). Since the result holds no `<` but those of micromark's
 * own tags, the tags can be changed as text. For the thread of `page-jobs.ts` alone.
 */
export function renderMarkdown(text: string): string {
  return highlightFences(micromark(text, options))
    .replaceAll(NOWHERE, '<a>')
    .replaceAll('<a href="', '<a rel="nofollow noopener noreferrer" href="')
    .replaceAll(/<input type="checkbox"[^<>]*>/g, (box) =>
      box.replace('type', `aria-label="${box.includes('checked') ? 'done' : 'to do'}" type`),
    )
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}
