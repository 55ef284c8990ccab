import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { highlightFences } from './highlight.ts';

/** Disabled syntax: images would call third parties; footnotes would repeat ids on a page. */
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
 * Links without a target (micromark removed it), or to one of our own pages: they become plain
 * text.
 */
const NOWHERE = /<a href="(?!https?:\/\/|mailto:)[^"]*">/g;

/**
 * Renders other people's Markdown as HTML (threats.md S5). Raw HTML stays text, and only http,
 * https and mailto URLs become links (micromark's safe mode). Every `<` in the result belongs to
 * one of micromark's own tags, so tags can be changed by text replacement. Call it only on the
 * thread of `page-jobs.ts`.
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
