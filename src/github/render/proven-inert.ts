import type { Nodes } from 'mdast';
import { sourceRange, walk } from '../read/markdown.ts';
import { THREAD_URL } from './inert-line.ts';

/** Markdown that does or hides something by itself. */
const ACTIVE = ['html', 'image', 'imageReference', 'definition', 'linkReference'];
/** What GitHub makes live in plain text: mentions, and references with or without a closing word. */
const LIVE = /(?<!\w)@[\w-]|#\d|\bGH-\d/i;
/** Addresses become links, and links to threads lead back. */
const ADDRESS = /https?:\/\/\S|www\.\S/i;
const COMMAND = /^[^\S\n]*\/\w/;

/** Whether these nodes of `source` hold nothing that works on GitHub or for us (threats.md G8, G19). */
export function isProvenInert(nodes: readonly Nodes[], source: string): boolean {
  const inside = insideLinks(nodes);
  const isAddress = (node: Nodes): boolean =>
    node.type === 'text' && !inside.has(node) && ADDRESS.test(node.value);
  if (source.trimStart().startsWith('<!--')) return false;
  return nodes.every((node) => isInert(node, source) && !isAddress(node));
}

/** All that stands inside a link, itself included. */
export function insideLinks(nodes: readonly Nodes[]): Set<Nodes> {
  const links = nodes.filter(({ type }) => type === 'link' || type === 'linkReference');
  return new Set(links.flatMap((link) => [...walk(link)]));
}

function isInert(node: Nodes, source: string): boolean {
  if (ACTIVE.includes(node.type)) return false;
  const [start, end] = sourceRange(node);
  if (node.type === 'link') return !THREAD_URL.test(node.url) && !isBareAddress(source, start);
  if (node.type !== 'text') return true;
  const lines = source.slice(start, end).split('\n');
  const first = isLineStart(source, start) ? 0 : 1;
  return !LIVE.test(node.value) && !lines.slice(first).some((line) => COMMAND.test(line));
}

function isBareAddress(source: string, start: number): boolean {
  return /^<?https?:\/\//i.test(source.slice(start, start + 10));
}

/** What stands before the first word of a line: blanks, marks of list items, of bold and of slanted letters. */
const MARKS = /^(?:[\s>*_+#~-]|\d{1,9}[.)]|\[[ x]\])*$/i;

/** Whether the first word of a line may begin here, which a command is. */
export function isLineStart(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 200), at);
  return MARKS.test(before.slice(before.lastIndexOf('\n') + 1));
}
