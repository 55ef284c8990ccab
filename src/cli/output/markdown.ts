import type { List, ListItem, Nodes, PhrasingContent, RootContent, Table } from 'mdast';
import { parseMarkdown } from '../../github/read/parse-markdown.ts';
import { isCostly } from '../../pages/costly-markdown.ts';
import { webUrl } from '../../pages/text.ts';
import { link, paint, type Screen } from './screen.ts';
import { clean, pad, widthOf, wrap } from './text.ts';

/** Longer lines are hard to read, however wide the terminal is. */
const WIDTH_MAX = 100;

/**
 * Renders an agent's Markdown for a terminal. The text is cleaned before it is parsed, and the
 * parser replaces numeric references to control characters (`&#27;`) by �, so every control
 * sequence in the result is ours.
 */
export function terminalMarkdown(screen: Screen, source: string): string {
  const text = clean(source).trim();
  if (!screen.isTerminal) return text;
  const width = Math.min(screen.width, WIDTH_MAX);
  if (isCostly(text)) return wrap(text, width);
  return blocks(screen, parseMarkdown(text).children, width);
}

function blocks(
  screen: Screen,
  nodes: readonly RootContent[],
  width: number,
  gap = '\n\n',
): string {
  return nodes
    .map((node) => block(screen, node, width))
    .filter((text) => text !== '')
    .join(gap);
}

type Show<T extends Nodes['type'], Rest extends unknown[]> = (
  screen: Screen,
  node: Extract<Nodes, { type: T }>,
  ...rest: Rest
) => string;

const BLOCKS: { [T in RootContent['type']]?: Show<T, [width: number]> } = {
  heading: (screen, { children }, width) =>
    wrap(paint(screen, ['bold', 'underline'], inline(screen, children)), width),
  paragraph: (screen, { children }, width) => wrap(inline(screen, children), width),
  code: (screen, { value }) => indent(paint(screen, 'green', value), '    '),
  blockquote: (screen, { children }, width) =>
    indent(blocks(screen, children, width - 2), `${paint(screen, 'dim', screen.signs.bar)} `),
  list: (screen, list, width) =>
    list.children
      .map((item, at) => listItem(screen, list, item, (list.start ?? 1) + at, width))
      .join(list.spread ? '\n\n' : '\n'),
  table,
  thematicBreak: (screen, _, width) => paint(screen, 'dim', '-'.repeat(Math.min(width, 20))),
  definition: (_, { identifier, url }, width) => wrap(`[${identifier}]: ${url}`, width),
  footnoteDefinition: (screen, { identifier, children }, width) =>
    `[${identifier}] ${blocks(screen, children, width)}`,
};

const INLINES: { [T in PhrasingContent['type']]?: Show<T, []> } = {
  text: (_, { value }) => value.replaceAll('\n', ' '),
  strong: (screen, { children }) => paint(screen, 'bold', inline(screen, children)),
  emphasis: (screen, { children }) => paint(screen, 'italic', inline(screen, children)),
  delete: (screen, { children }) => paint(screen, 'strikethrough', inline(screen, children)),
  inlineCode: (screen, { value }) => paint(screen, 'cyan', value),
  break: () => '\n',
  link: (screen, { children, url }) => linkText(screen, inline(screen, children), url),
  image: (screen, { alt, url }) => linkText(screen, alt || 'image', url),
  html: (_, { value }) => value,
  linkReference: (screen, { children }) => inline(screen, children),
  imageReference: (_, { alt }) => alt ?? '',
  footnoteReference: (_, { identifier }) => `[${identifier}]`,
};

function block(screen: Screen, node: RootContent, width: number): string {
  // The table is typed by the node's type; TypeScript cannot see that the two match.
  const show = BLOCKS[node.type] as Show<RootContent['type'], [number]> | undefined;
  return show ? show(screen, node, width) : wrap(inlineOne(screen, node), width);
}

function inlineOne(screen: Screen, node: RootContent): string {
  const show = INLINES[node.type as PhrasingContent['type']] as Show<Nodes['type'], []> | undefined;
  return show ? show(screen, node) : '';
}

function listItem(
  screen: Screen,
  list: List,
  item: ListItem,
  number: number,
  width: number,
): string {
  const box = item.checked ? '[x] ' : item.checked === false ? '[ ] ' : '';
  const mark = `${list.ordered ? `${number}.` : screen.signs.note} ${box}`;
  const body = blocks(screen, item.children, width - mark.length, list.spread ? '\n\n' : '\n');
  return paint(screen, 'dim', mark) + indent(body, ' '.repeat(mark.length)).slice(mark.length);
}

function inline(screen: Screen, nodes: readonly PhrasingContent[]): string {
  return nodes.map((node) => inlineOne(screen, node)).join('');
}

/** Always shows the address, because the text of a link can claim anything. */
function linkText(screen: Screen, text: string, url: string): string {
  const address = webUrl(url);
  if (!address) return text;
  const shown = paint(screen, 'underline', text);
  const isItself = text === url || text === address || `${text}/` === address;
  return link(
    screen,
    isItself ? shown : `${shown} ${paint(screen, 'dim', `(${address})`)}`,
    address,
  );
}

function table(screen: Screen, node: Table, width: number): string {
  const rows = node.children.map((row) =>
    row.children.map((cell) => inline(screen, cell.children)),
  );
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  const total = widths.reduce((sum, each) => sum + each + 3, -3);
  const [head = [], ...body] = rows;
  const aligned = (row: readonly string[]): string =>
    widths
      .map((each, at) => pad(row[at] ?? '', each))
      .join(' | ')
      .trimEnd();
  if (total <= width)
    return [paint(screen, 'bold', aligned(head)), ...body.map(aligned)].join('\n');
  return body
    .map((row) => row.map((cell, at) => wrap(`${head[at] ?? ''}: ${cell}`, width)).join('\n'))
    .join('\n\n');
}

function indent(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => by + line)
    .join('\n');
}
