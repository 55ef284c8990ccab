import type { ServiceContext } from '../../context.ts';
import type { Db } from '../../tables.ts';

const SEARCHED_PROMPT = 4000;
/**
 * Only this much of a text adds words to the dictionary: whatever somebody misspells in a search
 * most likely appears early in some text.
 */
const TEACHING = 1000;
const WORD = /^\p{Alphabetic}{4,32}$/u;
const KNOWN_MAX = 100_000;

/** The searchable text: title, skill, and the beginning of the prompt. */
export function searchTextOf(run: {
  title: string;
  prompt: string;
  skillSpec: string | null;
}): string {
  const prompt = run.prompt.slice(0, SEARCHED_PROMPT).toWellFormed();
  return [run.title, run.skillSpec ?? '', prompt].join('\n');
}

/**
 * The words of a text, without numbers and identifiers. They are sorted, so that concurrent writers
 * lock them in the same order.
 */
function wordsIn(body: string): string[] {
  const parts = body
    .slice(0, TEACHING)
    .toLowerCase()
    .split(/[^\p{Alphabetic}\p{Number}]+/u);
  return [...new Set(parts)].filter((word) => WORD.test(word)).toSorted();
}

/**
 * Adds a text's words to the dictionary, so that a search finds them even misspelt. Known words
 * cost nothing.
 */
export async function learnWords(
  { knownWords }: Pick<ServiceContext, 'knownWords'>,
  db: Db,
  body: string,
): Promise<void> {
  const fresh = wordsIn(body).filter((word) => !knownWords.has(word));
  if (fresh.length === 0) return;
  const added = await db
    .insertInto('search_words')
    .values(fresh.map((word) => ({ word })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('word')
    .execute();
  // The transaction may be rolled back, so words that it added are not remembered yet.
  const unsure = new Set(db.isTransaction ? added.map(({ word }) => word) : []);
  if (knownWords.size > KNOWN_MAX) knownWords.clear();
  for (const word of fresh) if (!unsure.has(word)) knownWords.add(word);
}
