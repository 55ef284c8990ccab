import { endpoints } from '../../contract/endpoints.ts';
import type { Api } from '../api.ts';

interface Sought {
  q?: string | undefined;
  failed?: boolean;
}

/** The entry that was found, or how far a search got in one step and where it is to end. */
interface Place {
  at?: number | undefined;
  searchedTo?: number | undefined;
  until?: number;
}

/** Steps of a search that goes on by itself; each reads as much of a log as one request may. */
const STEPS_MAX = 20;

/**
 * Finds the next match, or the previous one before a position. At the end of the log it begins
 * again at the other end, and ends where it began.
 */
export async function findPlace(
  api: Api,
  runId: string,
  sought: Sought,
  {
    after,
    before,
    until = after,
  }: { after: number; before?: number | undefined; until?: number | undefined },
): Promise<Place> {
  const read = async (query: { from?: number; before?: number }): Promise<Place> => {
    const found = await api.json(endpoints.runs.entries, {
      params: { runId },
      query: { ...sought, ...query, limit: 1 },
    });
    return { at: found.entries[0]?.position, searchedTo: found.searched_to };
  };
  if (before !== undefined) return findBefore(read, before);
  let found = await findAfter(read, after, until);
  for (let steps = 1; sought.failed && found.searchedTo && steps < STEPS_MAX; steps += 1)
    found = await findAfter(read, found.searchedTo, found.until ?? 0);
  return found;
}

type Read = (query: { from?: number; before?: number }) => Promise<Place>;

/** One step forward. `until` is where the search began: with `after` below it, it began again. */
async function findAfter(read: Read, after: number, until: number): Promise<Place> {
  const step = async (from: number, isAgain: boolean): Promise<Place | undefined> => {
    const { at, searchedTo } = await read({ from });
    if (at !== undefined) return { at };
    if (searchedTo === undefined) return undefined;
    return isAgain && searchedTo >= until ? {} : { searchedTo, until };
  };
  const isAgain = after < until;
  const near = await step(after + 1, isAgain);
  return near ?? (isAgain || until === 0 ? {} : ((await step(1, true)) ?? {}));
}

async function findBefore(read: Read, before: number): Promise<Place> {
  let found = await read({ before });
  for (let steps = 1; found.at === undefined && steps < STEPS_MAX; steps += 1)
    found = await read(found.searchedTo === undefined ? {} : { before: found.searchedTo });
  return found;
}
