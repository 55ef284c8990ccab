import type { Kysely } from 'kysely';
import type { ServiceContext } from '../../context.ts';
import type { ServiceTables } from '../../tables.ts';

const SEARCHED_PROMPT = 4000;
/** Only this much of a text teaches words: what is misspelt in a search is most likely said early somewhere. */
const TEACHING = 1000;
const WORD = /^\p{Alphabetic}{4,32}$/u;
const KNOWN_MAX = 100_000;

/** What the search looks at: title, skill and, of a long prompt, the beginning. */
export function searchTextOf(run: {
  title: string;
  prompt: string;
  skillSpec: string | null;
}): string {
  const prompt = run.prompt.slice(0, SEARCHED_PROMPT).toWellFormed();
  return [run.title, run.skillSpec ?? '', prompt].join('\n');
}

/** Words, not numbers or names of things, in one order for all writers. */
function wordsIn(body: string): string[] {
  const parts = body
    .slice(0, TEACHING)
    .toLowerCase()
    .split(/[^\p{Alphabetic}\p{Number}]+/u);
  return [...new Set(parts)].filter((word) => WORD.test(word)).toSorted();
}

/** Remembers a text's words, so that a search finds them misspelt too. Those seen before cost nothing. */
export async function learnWords(
  { knownWords }: Pick<ServiceContext, 'knownWords'>,
  db: Kysely<ServiceTables>,
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
  // What a transaction adds may yet be undone: such words are asked for once more.
  const unsure = new Set(db.isTransaction ? added.map(({ word }) => word) : []);
  if (knownWords.size > KNOWN_MAX) knownWords.clear();
  for (const word of fresh) if (!unsure.has(word)) knownWords.add(word);
}
