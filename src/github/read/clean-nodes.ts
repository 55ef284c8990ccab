import type { Nodes } from 'mdast';
import { cleanHtml } from './clean-html.ts';
import type { CleanNote } from './clean.ts';
import { sourceRange, type Edit } from './markdown.ts';

/** An edit, with the note that it adds to the prompt. */
export type Noted = Edit & { note?: CleanNote };

/** What the edits of a node need to know about the whole text. */
export interface WholeText {
  source: string;
  /** URLs of link definitions, by name. */
  addresses: ReadonlyMap<string, string>;
  /** Names of the definitions that are referred to. */
  used: ReadonlySet<string>;
  /** Numbers of the footnotes that are referred to, by name. */
  footnotes: ReadonlyMap<string, number>;
  /** The first definition of each footnote; pages show no other. */
  explanations: ReadonlySet<Nodes>;
  notes: Set<CleanNote>;
}

type Of<Type extends Nodes['type']> = Extract<Nodes, { type: Type }>;
type Rule<Type extends Nodes['type']> = (node: Of<Type>, page: WholeText) => Noted[];

/** Code blocks that GitHub draws as pictures, which show none of their comments and labels. */
const DRAWN = /^(?:mermaid|geojson|topojson|stl|math)$/i;
const LANGUAGE = /^[\w+#.-]{1,16}$/;
/** A line that another parser may read as a link definition. */
const DEFINITION_LIKE = /^\[[^\]\n]{1,999}\]:[ \t]*\S+[ \t]*(?:\n|$)/;

/** For each kind of node, the edits that leave only what a page shows. */
const RULES: { [Type in Nodes['type']]?: Rule<Type> } = {
  html: htmlEdits,
  image: (node) => replaced(node, `[image: ${addressOf(node.url)}]`, 'image_text'),
  imageReference: (node, { addresses }) =>
    replaced(node, `[image: ${addresses.get(node.identifier) ?? ''}]`, 'image_text'),
  link: (node) => (node.title ? tailEdit(node, addressOf(node.url), 'hidden_attributes') : []),
  linkReference: (node, { addresses }) => tailEdit(node, addresses.get(node.identifier) ?? ''),
  definition: (node, { used }) =>
    used.has(node.identifier) && !node.title
      ? replaced(node, '')
      : replaced(node, '', 'link_definitions'),
  footnoteReference: (node, { footnotes }) =>
    replaced(node, `[^${footnotes.get(node.identifier) ?? 0}]`),
  footnoteDefinition: footnoteEdits,
  code: codeEdits,
  table: extraCells,
  paragraph: paragraphEdits,
};

export function editsOf(node: Nodes, page: WholeText): Noted[] {
  // Each rule is stored under its node type.
  const rule = RULES[node.type] as ((node: Nodes, page: WholeText) => Noted[]) | undefined;
  return rule?.(node, page) ?? [];
}

/** The URL without spaces, so that it is one word. */
export function addressOf(url: string): string {
  return url.replaceAll(/\s/g, '%20');
}

function replaced(node: Nodes, text: string, note?: CleanNote): Noted[] {
  const [start, end] = sourceRange(node);
  return [{ start, end, text, ...(note ? { note } : {}) }];
}

function htmlEdits(node: Of<'html'>, { notes }: WholeText): Noted[] {
  const clean = cleanHtml(node.value);
  for (const note of clean.notes) notes.add(note);
  return clean.text === node.value ? [] : replaced(node, clean.text);
}

/** Leaves `[words](address)`, without a title or the name of a definition. */
function tailEdit(node: Of<'link' | 'linkReference'>, address: string, note?: CleanNote): Noted[] {
  const [start, end] = sourceRange(node);
  const last = node.children.at(-1);
  const noted = note ? { note } : {};
  return last
    ? [{ start: sourceRange(last)[1], end, text: `](${address})`, ...noted }]
    : [{ start, end, text: `[](${address})`, ...noted }];
}

/**
 * Names a footnote by its number, as the page does; removes one that nothing refers to, which the
 * page does not show.
 */
function footnoteEdits(node: Of<'footnoteDefinition'>, page: WholeText): Noted[] {
  const { source, footnotes, explanations } = page;
  const [start] = sourceRange(node);
  const number = footnotes.get(node.identifier);
  if (number === undefined || !explanations.has(node))
    return replaced(node, '', 'link_definitions');
  return [{ start, end: source.indexOf(']:', start), text: `[^${number}` }];
}

/** Pages show at most a language name of what follows a code fence. */
function codeEdits({ lang, meta, ...node }: Of<'code'>, { source, notes }: WholeText): Noted[] {
  if (DRAWN.test(lang ?? '')) notes.add('drawn');
  const isPlain = !lang || LANGUAGE.test(lang);
  if (isPlain && !meta) return [];
  const [start, end] = sourceRange(node);
  const line = firstLine(source, start, end);
  const text = (/^[`~]+/.exec(line)?.[0] ?? '') + (isPlain ? (lang ?? '') : '');
  return [{ start, end: start + line.length, text, note: 'hidden_attributes' }];
}

/** Removes cells beyond the columns of a table, which pages do not show. */
function extraCells(table: Of<'table'>): Noted[] {
  const columns = table.children[0]?.children.length ?? 0;
  return table.children.flatMap((row): Noted[] => {
    const extra = row.children[columns];
    if (!extra) return [];
    return [
      {
        start: sourceRange(extra)[0],
        end: sourceRange(row)[1],
        text: '|',
        note: 'hidden_attributes',
      },
    ];
  });
}

function paragraphEdits(node: Of<'paragraph'>, { source }: WholeText): Noted[] {
  const [start, end] = sourceRange(node);
  if (!DEFINITION_LIKE.test(source.slice(start, start + 2000))) return doubtfulCode(node);
  const line = firstLine(source, start, end);
  return [{ start, end: start + line.length, text: '', note: 'link_definitions' }];
}

/**
 * After a backtick that starts no code, parsers disagree on what is code. So code that may hide
 * something becomes text.
 */
function doubtfulCode({ children }: Of<'paragraph'>): Noted[] {
  if (!children.some((child) => child.type === 'text' && child.value.includes('`'))) return [];
  return children.flatMap((child) =>
    child.type === 'inlineCode' && /[<[]/.test(child.value) ? replaced(child, child.value) : [],
  );
}

function firstLine(source: string, start: number, end: number): string {
  return source.slice(start, end).split('\n', 1)[0] ?? '';
}
