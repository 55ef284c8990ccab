import type { Nodes } from 'mdast';
import { cleanHtml } from './clean-html.ts';
import { addressOf, editsOf, type Noted, type WholeText } from './clean-nodes.ts';
import type { CleanNote } from './clean.ts';
import { applyEdits, sourceRange, walk } from './markdown.ts';
import { parseMarkdown } from './parse-markdown.ts';

/** GitHub draws formulas as pictures, and they may hold text that is not visible. */
const FORMULA = /\$[^$]*\\[a-z]/i;
/** Removing something may expose something else, so the text is cleaned until nothing changes. */
const PASSES_MAX = 4;

/**
 * The text as GitHub shows it: everything invisible to a reader of the page is removed (threats.md
 * G5). Undefined if it is still changing after `PASSES_MAX`. Call it only on the thread of
 * `markdown-jobs.ts`.
 */
export function cleanMarkdown(text: string): { text: string; notes: CleanNote[] } | undefined {
  const notes = new Set<CleanNote>();
  let source = text;
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const cleaned = cleanOnce(source, notes);
    if (cleaned === source) {
      if (FORMULA.test(source)) notes.add('drawn');
      return { text: source, notes: [...notes] };
    }
    source = cleaned;
  }
  return undefined;
}

function cleanOnce(text: string, notes: Set<CleanNote>): string {
  // The parser passes over a byte order mark without counting it: every place would be off by one.
  const source = text.replace(/^\uFEFF+/, '');
  const nodes = [...walk(parseMarkdown(source))];
  const page = pageOf(nodes, source, notes);
  const edits = [...hiddenElements(nodes, source), ...nodes.flatMap((node) => editsOf(node, page))];
  for (const { note } of edits) if (note) notes.add(note);
  return applyEdits(source, edits);
}

function pageOf(nodes: Nodes[], source: string, notes: Set<CleanNote>): WholeText {
  const definitions = nodes.filter((node) => node.type === 'definition').toReversed();
  const users = nodes.filter(
    (node) => node.type === 'linkReference' || node.type === 'imageReference',
  );
  const references = nodes.filter((node) => node.type === 'footnoteReference');
  const footnotes = [...new Set(references.map((node) => node.identifier))];
  const explained = nodes.filter((node) => node.type === 'footnoteDefinition').toReversed();
  return {
    source,
    notes,
    // If a name is defined twice, the first definition counts.
    addresses: new Map(definitions.map((node) => [node.identifier, addressOf(node.url)])),
    used: new Set(users.map((node) => node.identifier)),
    footnotes: new Map(footnotes.map((name, at) => [name, at + 1])),
    explanations: new Set(new Map(explained.map((node) => [node.identifier, node])).values()),
  };
}

/** Removes everything from the tag of a hidden element to its end. */
function hiddenElements(nodes: Nodes[], source: string): Noted[] {
  const edits: Noted[] = [];
  const hide = (start: number, end: number): void => {
    edits.push({ start, end, text: '', note: 'hidden_attributes' });
  };
  let open: { start: number; name: string } | undefined;
  for (const node of nodes) {
    if (node.type !== 'html') continue;
    const [start, end] = sourceRange(node);
    const { opens } = cleanHtml(node.value);
    if (!open && opens !== undefined) open = { start, name: opens };
    else if (open?.name && node.value.toLowerCase().includes(`</${open.name.toLowerCase()}`)) {
      hide(open.start, end);
      open = undefined;
    }
  }
  if (open) hide(open.start, source.length);
  return edits;
}
