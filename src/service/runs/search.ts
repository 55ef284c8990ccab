import { sql, type Expression, type SqlBool } from 'kysely';
import { isRunId } from './find-run.ts';

/** Below this a trigram index cannot tell texts apart. */
const SIMILAR_FROM = 3;

/** A run's id, alone or as the end of its page's address. */
function idIn(q: string): string | undefined {
  const last =
    q
      .replace(/[/?#]+$/, '')
      .split('/')
      .at(-1) ?? '';
  return isRunId(last) ? last : undefined;
}

/** Runs whose title, prompt or skill holds something like `q`, typos included. */
export function searchFilter(q: string): Expression<SqlBool> {
  const id = idIn(q);
  if (id !== undefined) return sql<SqlBool>`r.id = ${id}::uuid`;
  if (q.length < SIMILAR_FROM)
    return sql<SqlBool>`r.search_text ilike ${`%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
  return sql<SqlBool>`${q} <% r.search_text`;
}
