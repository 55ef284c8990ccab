import type { Nodes } from 'mdast';
import { sourceRange, walk } from '../read/markdown.ts';
import { THREAD_URL } from './inert-line.ts';

/** Markdown that has an effect of its own or hides something. */
const ACTIVE = ['html', 'image', 'imageReference', 'definition', 'linkReference'];
/** What works on GitHub in plain text: mentions, and references to issues. */
const LIVE = /(?<!\w)@[\w-]|#\d|\bGH-\d/i;
/** URLs become links, and URLs of threads become backlinks. */
const ADDRESS = /https?:\/\/\S|www\.\S/i;
const COMMAND = /^[^\S\n]*\/\w/;

/**
 * Whether nothing in these nodes of `source` takes effect on GitHub or starts a command (threats.md
 * G8, G19).
 */
export function isProvenInert(nodes: readonly Nodes[], source: string): boolean {
  const inside = insideLinks(nodes);
  const isAddress = (node: Nodes): boolean =>
    node.type === 'text' && !inside.has(node) && ADDRESS.test(node.value);
  if (source.trimStart().startsWith('<!--')) return false;
  return nodes.every((node) => isInert(node, source) && !isAddress(node));
}

/** All links and everything inside them. */
export function insideLinks(nodes: readonly Nodes[]): Set<Nodes> {
  const links = nodes.filter(({ type }) => type === 'link' || type === 'linkReference');
  return new Set(links.flatMap((link) => [...walk(link)]));
}

/** Whether GitHub offers a block of code to be put in place of what it stands on, by a press. */
export function isSuggestion(node: Nodes): boolean {
  return node.type === 'code' && /^suggestion/i.test(node.lang ?? '');
}

function isInert(node: Nodes, source: string): boolean {
  if (ACTIVE.includes(node.type) || isSuggestion(node)) return false;
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

/**
 * What may come before the first word of a line: spaces, and markers of lists, bold and italics.
 */
const MARKS = /^(?:[\s>*_+#~-]|\d{1,9}[.)]|\[[ x]\])*$/i;

/** Whether the first word of a line may start here, and so a command. */
export function isLineStart(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 200), at);
  return MARKS.test(before.slice(before.lastIndexOf('\n') + 1));
}
