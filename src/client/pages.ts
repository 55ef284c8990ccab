import type { ListRunsQuery, RunRead } from '../contract/run.ts';
import type { Client } from './connect.ts';
import { UnreadableAnswer } from './error.ts';
import type { CallOptions } from './send.ts';

/** Every run that matches the query. Pages are requested as the runs are read. */
export async function* allRuns(
  client: Client,
  query: ListRunsQuery = {},
  options: CallOptions = {},
): AsyncGenerator<RunRead, void, void> {
  let cursor = query.cursor;
  do {
    const page = await client.runs.list({ ...query, cursor }, options);
    yield* page.runs;
    const next = nextCursor(page);
    if (next !== undefined && next === cursor) {
      const context = { operation: 'runs.list', tries: 1 };
      const reason = 'the cursor of the next page leads to the same page';
      throw new UnreadableAnswer(context, { reason, garbled: false, status: 200 });
    }
    cursor = next;
  } while (cursor !== undefined);
}

/** The cursor of the next page; undefined on the last one (interface.md 6.3). */
export function nextCursor(page: {
  runs: readonly unknown[];
  page_info?:
    | { has_next_page?: boolean | undefined; next_cursor?: string | null | undefined }
    | undefined;
}): string | undefined {
  const { has_next_page: more, next_cursor: next } = page.page_info ?? {};
  return more === false || page.runs.length === 0 || !next ? undefined : next;
}
