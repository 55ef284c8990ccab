import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/**
 * Leaves out the pass that looks for more URLs at the end: nodes that it changes lose their
 * position in the source.
 */
const toTree = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));
const OPTIONS = { extensions: [gfm()], mdastExtensions: toTree };

/**
 * Parses GitHub-flavoured Markdown. Text that was written to be slow can take seconds, so other
 * people's text is parsed only on the thread of `markdown-jobs.ts` (threats.md G15).
 */
export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, OPTIONS);
}
