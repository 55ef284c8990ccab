import { html, raw } from 'hono/html';
import { formatCount } from '../format.ts';
import type { Html } from '../html.ts';

/** A search in a run's log, and its result. */
export interface Find {
  q: string;
  /** Position of the entry that was found. */
  at?: number;
  /** Nothing was found; in a very long log, up to this position. The search ends at `until`. */
  none?: { searchedTo?: number; until?: number };
}

/** Longest text that can be searched for. */
export const FIND_MAX = 200;
/** The most matches marked in one entry. */
const MARKS_MAX = 100;
const FOLDED = /^<details (?![^>]*\bopen\b)/;

/** The search box of a run. Enter goes to the first match, then to the next. */
export function findForm(path: string, { q, at }: Find): Html {
  return html`<form class="find" role="search" action="${path}/find">
    <input
      type="search"
      name="q"
      value="${q}"
      maxlength="${FIND_MAX}"
      required
      placeholder="Search in this run"
      aria-label="Search in this run"
      aria-keyshortcuts="/"
    />
    ${
      at === undefined
        ? html`<button>Find</button>`
        : html`<input type="hidden" name="after" value="${at}" /><button>Next</button>
            <a class="button" id="previous-match" href="${address(path, { q, before: at })}"
              >Previous</a
            >`
    }
  </form>`;
}

/** Says that nothing was found, with a link to search on if there is more. */
export function findNotice(path: string, { q, none }: Find): Html | '' {
  if (!none) return '';
  const { searchedTo, until = 0 } = none;
  return html`<p class="notice" role="status">
    ${
      searchedTo === undefined
        ? html`Nothing in this run says “<bdi>${q}</bdi>”.`
        : html`Nothing says “<bdi>${q}</bdi>” as far as line ${formatCount(searchedTo)}.
            <a href="${address(path, { q, after: searchedTo, until })}">Search on</a>`
    }
  </p>`;
}

/**
 * Marks the matches in an entry's markup and unfolds the sections with them. In our own markup `<`
 * and `>` belong to tags, and all text is escaped.
 */
export async function markFound(entry: Html | '', q: string): Promise<Awaited<Html>> {
  const markup = (await entry).toString();
  const sought = (await html`${q}`).toString().toLowerCase();
  let left = MARKS_MAX;
  const marked = markup.split(/(?<=>)|(?=<)/).map((part) => {
    if (part.startsWith('<') || left === 0) return part;
    const pieces = cutAt(part, sought, left);
    left -= (pieces.length - 1) / 2;
    return pieces.map((piece, at) => (at % 2 === 1 ? `<mark>${piece}</mark>` : piece)).join('');
  });
  if (left === MARKS_MAX) return raw(markup);
  return raw(marked.map((part) => part.replace(FOLDED, '<details open ')).join(''));
}

/**
 * Splits a text so that every second piece is a match. A match inside an entity, such as `&amp;`,
 * does not count.
 */
function cutAt(text: string, sought: string, max: number): string[] {
  const low = text.toLowerCase();
  if (low.length !== text.length || !low.includes(sought)) return [text];
  const names = [...text.matchAll(/&[a-z0-9#]{1,8};/gi)].map(({ 0: name, index }) => ({
    from: index,
    to: index + name.length,
  }));
  const pieces: string[] = [];
  let [done, next] = [0, 0];
  const isInName = (place: number): boolean => {
    while ((names[next]?.to ?? Infinity) <= place) next += 1;
    return (names[next]?.from ?? Infinity) < place;
  };
  for (let at = low.indexOf(sought); at !== -1 && pieces.length < 2 * max;) {
    const end = at + sought.length;
    const isWhole = !isInName(at) && !isInName(end);
    if (isWhole) {
      pieces.push(text.slice(done, at), text.slice(at, end));
      done = end;
    }
    at = low.indexOf(sought, isWhole ? end : at + 1);
  }
  return [...pieces, text.slice(done)];
}

function address(path: string, find: Record<string, string | number>): string {
  const pairs = Object.entries(find).map(([name, value]) => [name, String(value)]);
  return `${path}/find?${new URLSearchParams(Object.fromEntries(pairs)).toString()}`;
}
