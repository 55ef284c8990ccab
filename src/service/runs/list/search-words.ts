import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { ServiceContext } from '../../context.ts';
import type { Db } from '../../tables.ts';
import { isRunId } from '../find-run.ts';
import type { RunCondition } from './run-filters.ts';
import { trimEnd } from '../../../base/trim-end.ts';

/** Shorter words do not help a trigram index. */
const TELLING_FROM = 3;
const WORDS_MAX = 8;
/** Most known words that are tried for a misspelt one, nearest first. */
const MEANINGS_MAX = 5;
const SHORT_WORD = 5;

/** The words of a search; each has one or more spellings, the typed one first. */
export interface Words {
  words: string[][];
}

/** The run id in a text: the text itself, or the end of a page's address. */
export function idIn(q: string): string | undefined {
  const last = trimEnd(q, '/?#').split('/').at(-1) ?? '';
  return isRunId(last) ? last : undefined;
}

const SHORT_ID = /^[0-9a-f]{8}(?=-|$)[0-9a-f-]{0,28}$/i;

/**
 * The first and the last id that begin with `q`; undefined unless `q` is at least the first eight
 * digits of an id.
 */
export function idsFrom(q: string): { first: string; last: string } | undefined {
  if (!SHORT_ID.test(q)) return undefined;
  const first = q + '00000000-0000-0000-0000-000000000000'.slice(q.length);
  const last = q + 'ffffffff-ffff-ffff-ffff-ffffffffffff'.slice(q.length);
  return isRunId(first) && isRunId(last) ? { first, last } : undefined;
}

/** Short words occur in most texts, so they count only if there are no longer ones. */
export function wordsOf(q: string): Words {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const telling = [TELLING_FROM + 1, TELLING_FROM, 1]
    .map((least) => words.filter((word) => word.length >= least))
    .find((found) => found.length > 0);
  return { words: (telling ?? words).slice(0, WORDS_MAX).map((word) => [word]) };
}

/** Whether the index can find the words. */
export function isIndexed({ words }: Words): boolean {
  return words.some(([word = '']) => word.length >= TELLING_FROM);
}

/** Escapes a word for use in a pattern. */
function literal(word: string, special: RegExp): string {
  return word.replaceAll(special, String.raw`\$&`);
}

function spelt([word = '', ...meanings]: readonly string[]): RawBuilder<unknown> {
  if (meanings.length === 0) return sql`ilike ${`%${literal(word, /[\\%_]/g)}%`}`;
  const typed = literal(word, /[^\p{Alphabetic}\p{Number}]/gu);
  return sql`~* ${[typed, ...meanings].join('|')}`;
}

/** Matches texts that contain every word in one of its spellings. */
export function holdsAll({ words }: Words, body: RawBuilder<unknown>): RunCondition {
  const each = words.map((spellings) => sql`${body} ${spelt(spellings)}`);
  return sql<SqlBool>`(${sql.join(each, sql` and `)})`;
}

/**
 * Number of typing mistakes between two words: letters added, missing, wrong, or swapped with a
 * neighbour.
 */
export function slips(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const wrong = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + wrong,
        swapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

async function meaningsOf(db: Db, word: string): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select word from search_words where word % ${word}
    order by similarity(word, ${word}) desc, word limit 50`.execute(db);
  const most = word.length <= SHORT_WORD ? 1 : 2;
  return rows
    .map((row) => ({ word: row.word, slips: slips(word, row.word) }))
    .filter((meaning) => meaning.slips > 0 && meaning.slips <= most)
    .toSorted((a, b) => a.slips - b.slips)
    .slice(0, MEANINGS_MAX)
    .map((meaning) => meaning.word);
}

/** The same search with similar known words added; undefined if there are none. */
export async function withMeanings(
  { db, trigrams }: Pick<ServiceContext, 'db' | 'trigrams'>,
  typed: Words,
): Promise<Words | undefined> {
  if (!trigrams) return undefined;
  const words = await Promise.all(
    typed.words.map(async ([word = '']) => [word, ...(await meaningsOf(db, word))]),
  );
  return words.some((spellings) => spellings.length > 1) ? { words } : undefined;
}
