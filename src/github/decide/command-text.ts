import type { Nodes } from 'mdast';
import { span, walk } from '../read/markdown.ts';
import { parseMarkdown } from '../read/parse-markdown.ts';

/** Blocks that hold the author's own lines; quotes, code, HTML, tables and footnotes do not. */
const OPEN_BLOCKS: readonly string[] = ['root', 'list', 'listItem'];
const LINE_BLOCKS: readonly string[] = ['paragraph', 'heading'];

/**
 * The text behind each occurrence of `phrase` as first word of a line of the author's own text, up to
 * the next occurrence. Line ends are `\n`; HTML comments are left out. For the thread of
 * `markdown-jobs.ts` alone.
 */
export function findCommandText(source: string, phrase: string): string[] {
  const tree = parseMarkdown(source);
  const starts = [...lineBlocks(tree)].flatMap((block) => commandStarts(block, source, phrase));
  const comments = [...walk(tree)].filter(isHtmlComment).map(span);
  return starts.map((start, position) => {
    const end = starts[position + 1] ?? source.length;
    return without(comments, source, start + phrase.length, end).trim();
  });
}

function* lineBlocks(node: Nodes): Generator<Nodes> {
  if (LINE_BLOCKS.includes(node.type)) yield node;
  else if (OPEN_BLOCKS.includes(node.type) && 'children' in node) {
    for (const child of node.children) yield* lineBlocks(child);
  }
}

/** Offsets in `source` at which a line of this block begins with the phrase as a word of plain text. */
function commandStarts(block: Nodes, source: string, phrase: string): number[] {
  const [blockStart, blockEnd] = span(block);
  const plain = 'children' in block ? block.children.filter((child) => child.type === 'text') : [];
  const lineStart = source.lastIndexOf('\n', blockStart - 1) + 1;
  const starts: number[] = [];
  for (let at = lineStart; at < blockEnd; at = nextLine(source, at)) {
    const first = at + (/^[^\S\n]*/.exec(source.slice(at, blockEnd))?.[0].length ?? 0);
    if (!beginsWithWord(source, first, phrase)) continue;
    const inPlainText = plain.some((child) => {
      const [start, end] = span(child);
      return start <= first && first + phrase.length <= end;
    });
    if (inPlainText) starts.push(first);
  }
  return starts;
}

function nextLine(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end + 1;
}

function beginsWithWord(source: string, at: number, phrase: string): boolean {
  const word = source.slice(at, at + phrase.length);
  const after = source.slice(at + phrase.length, at + phrase.length + 1);
  return word.toLowerCase() === phrase.toLowerCase() && (after === '' || /\s/.test(after));
}

function isHtmlComment(node: Nodes): boolean {
  return node.type === 'html' && node.value.trimStart().startsWith('<!--');
}

/** `source` from `start` to `end` without what lies in `holes`. */
function without(holes: [number, number][], source: string, start: number, end: number): string {
  let text = '';
  let at = start;
  for (const [from, to] of holes) {
    if (to <= at || from >= end) continue;
    text += source.slice(at, Math.max(at, from));
    at = Math.max(at, to);
  }
  return at < end ? text + source.slice(at, end) : text;
}
