import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Without the pass that finds more addresses afterwards: what it touches has no place in the source any more. */
const toTree = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));
const OPTIONS = { extensions: [gfm()], mdastExtensions: toTree };

/**
 * Parses GitHub-flavoured Markdown. Takes up to seconds for text that was written to be slow: text of
 * others is only parsed on the thread of `markdown-jobs.ts` (threats.md G15).
 */
export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, OPTIONS);
}
