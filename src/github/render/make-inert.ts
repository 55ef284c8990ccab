import type { Definition, Link, LinkReference, Nodes } from 'mdast';
import { applyEdits, sourceRange, walk, type Edit } from '../read/markdown.ts';
import { parseMarkdown } from '../read/parse-markdown.ts';
import { cutMarkdown } from './cut.ts';
import { BREAK, inertLine, GH_REFERENCE, MENTION, THREAD_URL } from './inert-line.ts';
import { insideLinks, isLineStart, isProvenInert } from './proven-inert.ts';

/** `#12`, also behind a `&` that begins no reference to a character of ours. */
const REFERENCE = /(?<!&)#(?=\d)|(?<=&)#(?=\d)(?!(?:8203|33|96);)/g;
/** References to characters, but for those written here. */
const ENTITY = /&(?!(?:#8203|#33|#96|amp|lt);)(?=#?\w+;)/g;
/** A backtick that begins no code here, but might for another parser. */
const TICK = /(\\\\)|\\?`/g;
/** What GitHub might still take for an address where our parser does not. */
const ADDRESS = /(https?:)(?=\/\/\S)|(www)(?=\.\S)/gi;
const COMMAND = /^([^\S\n]*)\/(?=\w)/;
/** Each pass frees what one more layer of HTML hid. */
const PASSES_MAX = 5;

/**
 * The text made inert, at most `max` UTF-16 units long; undefined when it cannot be proven to be so
 * (threats.md G19). For the thread of `markdown-jobs.ts` alone.
 */
export function makeInert(text: string, max: number): string | undefined {
  let source = cutMarkdown(text, max);
  // What HTML hid from Markdown is Markdown once the HTML is text: looked at again until nothing is left.
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
  /** Names of the definitions that something refers to. */
  used: ReadonlySet<string>;
  /** What stands inside a link, where no other begins. */
  inside: ReadonlySet<Nodes>;
}

function linksOf(nodes: Nodes[]): Links {
  const definitions = nodes.filter((node) => node.type === 'definition');
  const references = nodes.filter((node) => node.type === 'linkReference');
  return {
    // The first of a name counts.
    definitions: new Map(definitions.toReversed().map((node) => [node.identifier, node])),
    used: new Set(references.map((node) => node.identifier)),
    inside: insideLinks(nodes),
  };
}

/** What takes the place of a node; undefined when it stays. */
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
  if (node.type !== 'definition') return undefined;
  return used.has(node.identifier) ? '' : inertText(`\\${text}`, true);
}

/** Addresses of threads and commits, and all bare ones, are shown as code: GitHub would answer them. */
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

/** `[words][name]` with the address of its definition behind it, so that the definition can go. */
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
