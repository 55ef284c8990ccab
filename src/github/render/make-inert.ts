import type { Definition, Link, LinkReference, Nodes } from 'mdast';
import { applyEdits, sourceRange, walk, type Edit } from '../read/markdown.ts';
import { parseMarkdown } from '../read/parse-markdown.ts';
import { cutMarkdown } from './cut.ts';
import { BREAK, inertLine, GH_REFERENCE, MENTION, THREAD_URL } from './inert-line.ts';
import { insideLinks, isLineStart, isProvenInert, isSuggestion } from './proven-inert.ts';

/** `#12`, also after an `&`, except in the character references that are written here. */
const REFERENCE = /(?<!&)#(?=\d)|(?<=&)#(?=\d)(?!(?:8203|33|96);)/g;
/** Character references, except those that are written here. */
const ENTITY = /&(?!(?:#8203|#33|#96|amp|lt);)(?=#?\w+;)/g;
/** A backtick that starts no code here, but might for another parser. */
const TICK = /(\\\\)|\\?`/g;
/** What GitHub might turn into a link although our parser does not. */
const ADDRESS = /(https?:)(?=\/\/\S)|(www)(?=\.\S)/gi;
const COMMAND = /^([^\S\n]*)\/(?=\w)/;
/** Each pass exposes what one more layer of HTML hid. */
const PASSES_MAX = 5;

/**
 * The text made harmless, at most `max` UTF-16 units; undefined if that cannot be proven
 * (threats.md G19). Call it only on the thread of `markdown-jobs.ts`.
 */
export function makeInert(text: string, max: number): string | undefined {
  let source = cutMarkdown(text, max);
  // What is inside HTML becomes Markdown once the HTML is escaped, so this repeats until nothing
  // changes.
  for (let pass = 0; pass <= PASSES_MAX; pass += 1) {
    const nodes = [...walk(parseMarkdown(source))];
    const calm = cutMarkdown(applyEdits(source, editsOf(nodes, source)), max);
    if (calm === source) return isProvenInert(nodes, source) ? source : undefined;
    source = calm;
  }
  return undefined;
}

function editsOf(nodes: Nodes[], source: string): Edit[] {
  const links = linksOf(nodes);
  return nodes.flatMap((node) => {
    if (node.type === 'linkReference') return inlineLink(node, links);
    const [start, end] = sourceRange(node);
    const text = editOf(node, source, links);
    return text === undefined ? [] : [{ start, end, text }];
  });
}

interface Links {
  definitions: ReadonlyMap<string, Definition>;
  /** Names of the definitions that are referred to. */
  used: ReadonlySet<string>;
  /** Nodes inside a link, where no other link can start. */
  inside: ReadonlySet<Nodes>;
}

function linksOf(nodes: Nodes[]): Links {
  const definitions = nodes.filter((node) => node.type === 'definition');
  const references = nodes.filter((node) => node.type === 'linkReference');
  return {
    // If a name is defined twice, the first definition counts.
    definitions: new Map(definitions.toReversed().map((node) => [node.identifier, node])),
    used: new Set(references.map((node) => node.identifier)),
    inside: insideLinks(nodes),
  };
}

/** The text that replaces a node; undefined if the node stays. */
function editOf(node: Nodes, source: string, { used, inside }: Links): string | undefined {
  const [start, end] = sourceRange(node);
  const text = source.slice(start, end);
  if (node.type === 'text') {
    const calm = inertText(text, isLineStart(source, start));
    return inside.has(node) ? calm : calm.replaceAll(ADDRESS, `$1$2${BREAK}`);
  }
  if (node.type === 'html') {
    return inertText(text, isLineStart(source, start)).replaceAll('<', '&lt;');
  }
  if (node.type === 'image' || node.type === 'imageReference') return `&#33;${text.slice(1)}`;
  if (node.type === 'link') return inertLink(node, text);
  if (isSuggestion(node)) return text.replace(/^([`~]+)[^\n]*/, '$1');
  if (node.type !== 'definition') return undefined;
  return used.has(node.identifier) ? '' : inertText(`\\${text}`, true);
}

/**
 * Shows URLs of threads and commits, and all bare URLs, as code; GitHub would turn them into
 * backlinks or previews.
 */
function inertLink(node: Link, text: string): string | undefined {
  const isBare = !text.startsWith('[');
  const leads = THREAD_URL.test(node.url);
  if (isBare && (leads || /^<?https?:\/\//i.test(text))) {
    return code(text.replaceAll(/^<|>$/g, ''));
  }
  return leads ? `${inertLine(words(node))} (${code(node.url)})` : undefined;
}

function words(node: Nodes): string {
  const spoken = (child: Nodes): string =>
    child.type === 'text' || child.type === 'inlineCode' ? child.value : '';
  return [...walk(node)].map(spoken).join('');
}

function code(text: string): string {
  return `\`${text.replaceAll('`', '')}\``;
}

/** Turns `[words][name]` into a link with the URL, so that the definition can be removed. */
function inlineLink(node: LinkReference, { definitions }: Links): Edit[] {
  const definition = definitions.get(node.identifier);
  const last = node.children.at(-1);
  if (!definition || !last) return [];
  const address = definition.url.replaceAll(/[\s<>\\]/g, encodeURIComponent);
  return [{ start: sourceRange(last)[1], end: sourceRange(node)[1], text: `](<${address}>)` }];
}

function inertText(text: string, fromLineStart: boolean): string {
  const calm = text
    .replaceAll(ENTITY, '&amp;')
    .replaceAll(MENTION, `@${BREAK}`)
    .replaceAll(REFERENCE, `#${BREAK}`)
    .replaceAll(GH_REFERENCE, `$1${BREAK}-`)
    .replaceAll(TICK, (_, escaped?: string) => escaped ?? '&#96;');
  const lines = calm.split('\n');
  return lines
    .map((line, at) => (at > 0 || fromLineStart ? line.replace(COMMAND, '$1\\/') : line))
    .join('\n');
}
