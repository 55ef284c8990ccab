import { timeAgo } from '../../pages/format.ts';
import { serviceNow } from './clock.ts';
import { link, paint, type Screen, type Style } from './screen.ts';
import { fit, oneLine, pad, widthOf, wrap } from './text.ts';

/** One value: as people see it, and as pipes get it. */
export interface Cell {
  text: string;
  exact?: string;
  style?: Style;
  url?: string | null | undefined;
}

export interface Column<T> {
  title: string;
  cell: (item: T, screen: Screen) => Cell | string | null | undefined;
  /** Comes first on a card; the others follow on the next line. */
  isHead?: boolean;
  /** Is shortened if the line is too long. */
  canShrink?: boolean;
}

/** With fewer columns than this a list is shown as cards. */
const CARDS_BELOW = 100;
const GAP = '  ';
const SHRUNK_MIN = 12;
const SHORT_ID = 8;

/** The first digits of an id, as git shortens it; in full for pipes. */
export function shortId(id: string, url?: string | null): Cell {
  return { text: id.slice(0, SHORT_ID), exact: id, style: 'cyan', url };
}

/** A relative time; for pipes as it was sent. */
export function when(at: string | null | undefined, none = 'never'): Cell {
  if (!at) return { text: none, exact: none, style: 'dim' };
  return { text: timeAgo(new Date(at), serviceNow()), exact: at };
}

/** A cell together with its column's settings. */
type Placed = Cell & Pick<Column<never>, 'title' | 'isHead' | 'canShrink'>;

/** Renders a list as a table, as cards on a narrow terminal, or exactly for pipes. */
export function renderList<T>(
  screen: Screen,
  columns: readonly Column<T>[],
  items: readonly T[],
): string {
  const rows = items.map((item) =>
    columns.map(({ cell, ...rest }) => ({ ...rest, ...toCell(cell(item, screen), screen) })),
  );
  if (screen.isTerminal && screen.width < CARDS_BELOW)
    return rows.map((row) => renderCard(screen, row)).join('\n');
  const head = columns.map((column) => ({ ...column, text: column.title, style: 'dim' as const }));
  return renderTable(screen, [head, ...rows]);
}

function toCell(value: Cell | string | null | undefined, { isTerminal }: Screen): Cell {
  const cell = typeof value === 'string' ? { text: value } : (value ?? { text: '' });
  return { ...cell, text: oneLine(isTerminal ? cell.text : (cell.exact ?? cell.text)) };
}

function show(screen: Screen, { style, url }: Cell, text: string): string {
  const painted = style && screen.isTerminal ? paint(screen, style, text) : text;
  return link(screen, painted, url);
}

function renderTable(screen: Screen, rows: readonly Placed[][]): string {
  const [head = []] = rows;
  const natural = head.map((_, at) => Math.max(...rows.map((row) => widthOf(row[at]?.text ?? ''))));
  const total = natural.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  const excess = Math.max(0, total - screen.width);
  const widths = natural.map((width, at) =>
    head[at]?.canShrink ? Math.max(Math.min(width, SHRUNK_MIN), width - excess) : width,
  );
  const line = (row: readonly Placed[]): string =>
    row
      .map((cell, at) =>
        pad(show(screen, cell, fit(cell.text, widths[at] ?? 0, screen.signs.cut)), widths[at] ?? 0),
      )
      .join(GAP)
      .trimEnd();
  return rows.map(line).join('\n');
}

function renderCard(screen: Screen, row: readonly Placed[]): string {
  const [heads = [], rest = []] = [true, false].map((isHead) =>
    row.filter((cell) => cell.text !== '' && (cell.isHead ?? false) === isHead),
  );
  const used = heads.reduce(
    (sum, { text, canShrink }) => sum + (canShrink ? 0 : widthOf(text)) + GAP.length,
    0,
  );
  const room = Math.max(SHRUNK_MIN, screen.width - used);
  const head = heads.map((cell) =>
    show(screen, cell, cell.canShrink ? fit(cell.text, room, screen.signs.cut) : cell.text),
  );
  const first = wrap(head.join(GAP), screen.width);
  if (rest.length === 0) return first;
  const facts = rest.map(({ text, url }) => link(screen, text, url));
  const below = wrap(facts.join(` ${screen.signs.note} `), screen.width, '    ');
  return `${first}\n${paint(screen, 'dim', below)}`;
}

/** One thing as labelled lines; those without a value are left out. */
export function renderFields(
  screen: Screen,
  rows: readonly (readonly [string, Cell | string | null | undefined])[],
): string {
  const shown = rows.flatMap(([label, value]) => {
    const cell = toCell(value, screen);
    return cell.text === '' ? [] : [{ label, cell }];
  });
  const width = Math.max(0, ...shown.map(({ label }) => widthOf(label)));
  return shown
    .map(({ label, cell }) => {
      const head = paint(screen, 'dim', pad(label, width));
      const body = wrap(show(screen, cell, cell.text), screen.width - width - GAP.length);
      return `${head}${GAP}${body.replaceAll('\n', `\n${' '.repeat(width + GAP.length)}`)}`;
    })
    .join('\n');
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Every field of a resource under the name that it is sent by; empty ones are left out. */
export function describeFields(thing: object, path = ''): [string, Cell][] {
  return Object.entries(thing).flatMap(([name, value]: [string, unknown]): [string, Cell][] => {
    const label = `${path}${name.replaceAll('_', ' ')}`;
    if (typeof value === 'string' && TIME.test(value)) return [[label, when(value)]];
    if (Array.isArray(value)) return [[label, { text: value.map(inOneWord).join(', ') }]];
    if (typeof value === 'object' && value !== null) return describeFields(value, `${label} `);
    return isScalar(value) ? [[label, { text: String(value) }]] : [];
  });
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** `acme/web` of `{owner, repo}`. */
function inOneWord(value: unknown): string {
  if (isScalar(value)) return String(value);
  return typeof value === 'object' && value !== null ? Object.values(value).join('/') : '';
}
