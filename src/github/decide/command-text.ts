import type { Nodes } from 'mdast';
import { endsPhrase, LOOK_BEHIND, textBehind } from './command-lines.ts';
import { sourceRange, walk } from '../read/markdown.ts';
import { parseMarkdown } from '../read/parse-markdown.ts';

/** Blocks that hold the author's own lines. Quotes, code, HTML, tables and footnotes do not. */
const OPEN_BLOCKS: readonly string[] = ['root', 'list', 'listItem'];
const LINE_BLOCKS: readonly string[] = ['paragraph', 'heading'];

/**
 * Returns the text after each occurrence of `phrase` as the first word of a line, up to the next
 * occurrence. Only the author's own text counts, without HTML comments; a line that is quoted as a
 * whole gives undefined. Lines must end in LF. Call it only on the thread of `markdown-jobs.ts`.
 */
export function findCommandText(source: string, phrase: string): (string | undefined)[] {
  const tree = parseMarkdown(source);
  const starts = [...lineBlocks(tree)].flatMap((block) => commandStarts(block, source, phrase));
  const comments = [...walk(tree)].filter(isHtmlComment).map(sourceRange);
  return starts.map(({ at, marks, isQuoted }, position) => {
    if (isQuoted) return undefined;
    const end = starts[position + 1]?.before ?? source.length;
    const holes = [...comments, ...marks].toSorted(([a], [b]) => a - b);
    return textBehind(without(holes, source, at + phrase.length, end));
  });
}

function* lineBlocks(node: Nodes): Generator<Nodes> {
  if (LINE_BLOCKS.includes(node.type)) yield node;
  else if (OPEN_BLOCKS.includes(node.type) && 'children' in node) {
    for (const child of node.children) yield* lineBlocks(child);
  }
}

/** The most bold and italic markers that are looked past after a word. */
const MARKS_MAX = 4;

interface Place {
  at: number;
  /** End of the text node that this is in. */
  end: number;
  /** Markers of the heading, parentheses, bold or italics around it. */
  marks: [number, number][];
  isQuoted: boolean;
}

interface Start extends Place {
  /** Start of its line. */
  before: number;
}

/** Characters that may wrap a whole line, with what closes them. */
const WRAPPERS = new Map([
  ['(', ')'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['„', '“”'],
  ['‘', '’'],
  ['«', '»'],
  ['»', '«'],
]);

/** The lines of this block that start with the phrase, also in bold or italics. */
function commandStarts(block: Nodes, source: string, phrase: string): Start[] {
  const [blockStart, blockEnd] = sourceRange(block);
  const starts: Start[] = [];
  for (let before = blockStart; before < blockEnd; before = nextLine(source, before)) {
    const end = Math.min(nextLine(source, before), blockEnd);
    const line = source.slice(before, end);
    const from = before + (/^(?:#{1,6}(?=\s))?[^\S\n]*/.exec(line)?.[0].length ?? 0);
    const plain = textAt(block, from);
    const found = plain && (unwrapped(block, plain, source, end) ?? plain);
    if (!found || !beginsWithWord(source, found, phrase)) continue;
    const marks = [...found.marks, ...closingHashes(block, source)];
    starts.push({ ...found, marks, before: source.lastIndexOf('\n', before - 1) + 1 });
  }
  return starts;
}

/**
 * The place inside the wrapper, if the line ends with the character that closes the one it starts
 * with.
 */
function unwrapped(block: Nodes, place: Place, source: string, end: number): Place | undefined {
  const line = source.slice(place.at, end).replace(/[*_\s]{1,9}$/, '');
  const opens = line.slice(0, 1);
  const closes = WRAPPERS.get(opens)?.includes(line.slice(-1)) && line.length > 1;
  const at = place.at + 1;
  const inner = at < place.end ? { ...place, at } : textAt(block, at);
  if (!closes || !inner) return undefined;
  const close = place.at + line.length - 1;
  return { ...inner, marks: [...inner.marks, [close, close + 1]], isQuoted: opens !== '(' };
}

/** The closing `#`s of a heading. */
function closingHashes(block: Nodes, source: string): [number, number][] {
  const [start, end] = sourceRange(block);
  const last = block.type === 'heading' ? block.children.at(-1) : undefined;
  return last && source[start] === '#' ? [[sourceRange(last)[1], end]] : [];
}

/** The text node that starts here, also inside bold or italics. */
function textAt(node: Nodes, at: number): Place | undefined {
  const child = 'children' in node ? node.children.find((one) => covers(one, at)) : undefined;
  if (!child) return undefined;
  const [start, end] = sourceRange(child);
  if (child.type === 'text') return { at, end, marks: [], isQuoted: false };
  if ((child.type !== 'strong' && child.type !== 'emphasis') || start !== at) return undefined;
  const width = child.type === 'strong' ? 2 : 1;
  const inner = textAt(child, at + width);
  return inner && { ...inner, marks: [...inner.marks, [end - width, end]] };
}

function covers(node: Nodes, at: number): boolean {
  const [start, end] = sourceRange(node);
  return start <= at && at < end;
}

function nextLine(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end + 1;
}

function beginsWithWord(source: string, { at, end, marks }: Place, phrase: string): boolean {
  const behind = at + phrase.length;
  if (behind > end || source.slice(at, behind).toLowerCase() !== phrase.toLowerCase()) return false;
  return endsPhrase(without(marks, source, behind, behind + LOOK_BEHIND + MARKS_MAX));
}

function isHtmlComment(node: Nodes): boolean {
  return node.type === 'html' && node.value.trimStart().startsWith('<!--');
}

/** `source` from `start` to `end`, without the ranges in `holes`. */
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
