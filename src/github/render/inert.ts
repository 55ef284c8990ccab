import type { Link, Nodes } from 'mdast';
import { cutMarkdown } from './cut.ts';
import { parseMarkdown, span, walk } from '../read/markdown.ts';

/** A break no reader sees, written so that everyone sees it in the source. */
const BREAK = '&#8203;';
const MENTION = /(?<![\w`])@(?=[\w-])/g;
const REFERENCE = /(?<!&)#(?=\d)/g;
const GH_REFERENCE = /\b(GH)-(?=\d)/gi;
/** References to characters, but for those written here. */
const ENTITY = /&(?!(?:#8203|#33|amp|lt);)(?=#?\w+;)/g;
/** Each pass frees what one more layer of HTML hid. */
const PASSES_MAX = 5;
const COMMAND = /^([^\S\n]*)\/(?=\w)/gm;

interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * Text of an agent (or of anybody) that we show in our own name, made to do nothing: no mention, issue
 * reference, closing word, HTML, image, marker or `/command` in it works, while it reads the same
 * (threats.md G8). At most `max` UTF-16 units.
 */
export async function inert(text: string, max: number): Promise<string> {
  let source = cutMarkdown(text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', ''), max);
  // What HTML hid from Markdown is Markdown once the HTML is text: looked at again until nothing is left.
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const before = source;
    const tree = await parseMarkdown(before);
    source = apply(
      before,
      [...walk(tree)].flatMap((node) => edit(node, before)),
    );
    if (source === before) break;
  }
  return cutMarkdown(source, max);
}

function edit(node: Nodes, source: string): Edit[] {
  const [start, end] = span(node);
  const text = source.slice(start, end);
  if (node.type === 'html') {
    const calm = inertText(text, isLineStart(source, start));
    return [{ start, end, text: calm.replaceAll('<', '&lt;') }];
  }
  if (node.type === 'image' || node.type === 'imageReference') {
    return [{ start, end: start + 1, text: '&#33;' }];
  }
  if (node.type === 'text')
    return [{ start, end, text: inertText(text, isLineStart(source, start)) }];
  if (node.type === 'definition') return [{ start, end, text: inertText(text, true) }];
  if (node.type === 'link') return editLink(node, start, end, text);
  return [];
}

const THREAD_URL = /^https?:\/\/[^/]+\/[^/]+\/[^/]+\/(?:issues|pull|discussions|commit)\/\w/i;

/** Addresses of threads and commits, and all bare ones, are shown as code: GitHub would answer them. */
function editLink(node: Link, start: number, end: number, text: string): Edit[] {
  if (isAutolink(text)) return [{ start, end, text: `\`${text.replaceAll(/^<|>$/g, '')}\`` }];
  if (!THREAD_URL.test(node.url)) return [];
  const label = [...walk(node)].map((child) => (child.type === 'text' ? child.value : '')).join('');
  return [{ start, end, text: `${inertLine(label)} (\`${node.url.replaceAll('`', '')}\`)` }];
}

function inertText(text: string, fromLineStart: boolean): string {
  const calm = text
    .replaceAll(ENTITY, '&amp;')
    .replaceAll(MENTION, `@${BREAK}`)
    .replaceAll(REFERENCE, `#${BREAK}`)
    .replaceAll(GH_REFERENCE, `$1${BREAK}-`);
  const [first = '', ...rest] = calm.split('\n');
  const lines = rest.map((line) => line.replaceAll(COMMAND, '$1\\/'));
  return [fromLineStart ? first.replaceAll(COMMAND, '$1\\/') : first, ...lines].join('\n');
}

function isLineStart(source: string, at: number): boolean {
  return /(^|\n)\s*$/.test(source.slice(Math.max(0, at - 200), at));
}

/** A bare URL, which GitHub turns into a reference back from the issue or commit it names. */
function isAutolink(text: string): boolean {
  return /^<?https?:\/\//i.test(text) && !text.includes('`');
}

/** Applies edits; one that lies inside another that was applied is left out. */
function apply(source: string, edits: Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let result = '';
  let at = 0;
  for (const { start, end, text } of ordered) {
    if (start < at) continue;
    result += source.slice(at, start) + text;
    at = end;
  }
  return result + source.slice(at);
}

/** One line of somebody's words (a title, a name), inert, without Markdown of its own. */
export function inertLine(text: string, max = 200): string {
  const flat = text.replaceAll(/[\s\0]+/g, ' ').trim();
  const cut = flat.length > max ? `${flat.slice(0, max - 1).toWellFormed()}…` : flat;
  return cut
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/([\\`*_[\]|~!])/g, '\\$1')
    .replaceAll(MENTION, `@${BREAK}`)
    .replaceAll(REFERENCE, `#${BREAK}`)
    .replaceAll(GH_REFERENCE, `$1${BREAK}-`);
}
