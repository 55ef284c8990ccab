import { sleep } from '../base/time.ts';
import type { Client } from './connect.ts';
import type { CallOptions } from './send.ts';
import { isProblem } from './error.ts';
import { watchRun, type WatchOptions } from './watch-run.ts';
import { WAIT_MAX_SECONDS } from '../contract/endpoint.ts';
import type { ListEntriesResponse, RunEntry } from '../contract/entry.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';

/** How many entries from before the watch are shown. */
const HISTORY = 50;
const PAGE = 200;
/**
 * Changes that arrive within this time are read together, because an agent's words come one by one.
 */
const GATHER_MS = 200;

export interface FeedOptions extends WatchOptions {
  /** Pause between two reads of a growing log. */
  gatherMs?: number;
}
/** Pause between two reads if the service does not hold requests. */
const IDLE_MS = 2000;
/** While the log grows, the run itself is read again at least this often. */
const RUN_EVERY_MS = 5000;

/** Statuses with which services answer that lack this endpoint. */
const NOT_SERVED: readonly number[] = [403, 404, 405, 501];

export interface News {
  run: RunRead;
  /** Entries that are new or grew since the last time, complete. */
  entries: readonly RunEntry[];
  /** There are earlier entries. */
  hasEarlier: boolean;
}

/** Yields a run's log and state as they grow, until it has ended and everything was read. */
export async function* feedRun(
  client: Client,
  runId: string,
  options: FeedOptions = {},
): AsyncGenerator<News, void, void> {
  const run = await client.runs.get(runId, options);
  const first = await firstEntries(client, runId, options);
  if (first) {
    yield { run, entries: first.entries, hasEarlier: first.has_earlier };
    yield* feedLog(client, run, first.next_after, options);
    return;
  }
  for await (const changed of watchRun(client, runId, options))
    yield { run: changed, entries: [], hasEarlier: false };
}

/**
 * Undefined if the service speaks only the public interface, which has no log to read while it
 * grows.
 */
async function firstEntries(
  client: Client,
  runId: string,
  { signal, deadlineMs }: WatchOptions,
): Promise<ListEntriesResponse | undefined> {
  try {
    return await client.runs.entries(runId, { limit: HISTORY }, { signal, deadlineMs });
  } catch (error) {
    if (isProblem(error) && NOT_SERVED.includes(error.status)) return undefined;
    throw error;
  }
}

async function* feedLog(
  client: Client,
  from: RunRead,
  position: number,
  { gatherMs = GATHER_MS, ...options }: FeedOptions,
): AsyncGenerator<News, void, void> {
  const { run_id: runId } = from;
  let [run, after, readAt] = [from, position, performance.now()];
  // The end is reported only after everything that was logged before it.
  let told = from;
  while (!isTerminal(run.state)) {
    const look = await readLog(client, runId, after, { ...options, waitSeconds: WAIT_MAX_SECONDS });
    ({ after } = look);
    if (look.isQuiet || look.changesRun || performance.now() - readAt > RUN_EVERY_MS) {
      run = await client.runs.get(runId, options);
      readAt = performance.now();
    }
    if (!isTerminal(run.state)) told = run;
    yield { run: told, entries: look.entries, hasEarlier: false };
    if (run === told)
      await sleep(look.isQuiet && !look.waited ? IDLE_MS : gatherMs, options.signal);
  }
  for (;;) {
    const look = await readLog(client, runId, after, options);
    ({ after } = look);
    if (look.isQuiet) return yield { run, entries: [], hasEarlier: false };
    yield { run: told, entries: look.entries, hasEarlier: false };
  }
}

async function readLog(client: Client, runId: string, after: number, options: CallOptions) {
  const look = await client.ask('runs', 'entries', [runId, { after, limit: PAGE }], options);
  const entries = look.value?.entries ?? [];
  return {
    entries,
    after: look.value?.next_after ?? after,
    isQuiet: entries.length === 0,
    changesRun: entries.some(changesRun),
    waited: look.waited,
  };
}

function changesRun({ events }: RunEntry): boolean {
  return events.some(({ type }) => type === 'lifecycle' || type === 'usage');
}
