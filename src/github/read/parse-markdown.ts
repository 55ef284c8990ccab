import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const OPTIONS = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Parses GitHub-flavoured Markdown. */
export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, OPTIONS);
}
