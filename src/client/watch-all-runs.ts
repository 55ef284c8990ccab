import { WAIT_MAX_SECONDS } from '../contract/endpoint.ts';
import type { ListRunsQuery, RunRead } from '../contract/run.ts';
import { sleep } from '../base/time.ts';
import type { Answered, Client } from './connect.ts';
import { idleIntervalMs, mayAskAtOnce } from './interval.ts';
import { nextCursor } from './pages.ts';
import type { WatchOptions } from './watch-run.ts';

/**
 * A change may become visible this long after it began, so this much is read again
 * (run-lifecycle.md, "Waiting").
 */
const OVERLAP_MS = 2000;
const PAGE_SIZE = 100;
/** The window moves on once it holds this many runs; until then one held request watches it. */
const WINDOW_RUNS = 25;

type Page = { runs: RunRead[]; complete: boolean } & Pick<
  Answered<unknown>,
  'etag' | 'waited' | 'status'
>;

/** The changes already yielded, as far back as they may be read again. */
class Seen {
  #updatedAt = new Map<string, string>();

  /** True the first time that a run is seen with this `updated_at`. */
  add(run: RunRead): boolean {
    const stamp = run.updated_at ?? '';
    if (this.#updatedAt.get(run.run_id) === stamp) return false;
    this.#updatedAt.set(run.run_id, stamp);
    return true;
  }

  /** The newest change seen, in milliseconds since 1970. */
  newest(): number {
    return Math.max(-Infinity, ...this.#times().map(([, time]) => time));
  }

  forgetBefore(time: number): void {
    for (const [id, at] of this.#times()) if (at < time) this.#updatedAt.delete(id);
  }

  get size(): number {
    return this.#updatedAt.size;
  }

  #times(): [id: string, time: number][] {
    return [...this.#updatedAt].map(([id, stamp]) => [id, Date.parse(stamp)]);
  }
}

/**
 * Yields every run of the team each time it changes, oldest change first, and never ends. It begins
 * two seconds before `since`. One request at a time watches all runs. To go on later, begin at the
 * newest `updated_at` seen: the changes of the two seconds before it are yielded again. If looking
 * fails for longer than `deadlineMs`, the watch throws the failure.
 */
export async function* watchAllRuns(
  client: Pick<Client, 'ask'>,
  options: WatchOptions & { since: Date; query?: ListRunsQuery },
): AsyncGenerator<RunRead, never, void> {
  const { since, query, ...call } = options;
  const seen = new Seen();
  let floor = since.getTime() - OVERLAP_MS;
  let quiet = 0;
  let etag: string | undefined;
  let waits: boolean | undefined;
  for (;;) {
    const begun = performance.now();
    const page = await readWindow(client, windowQuery(query, floor), etag, call);
    const tookMs = performance.now() - begun;
    const fresh = page.runs.filter((run) => seen.add(run));
    yield* fresh;
    const changed = fresh.length > 0;
    quiet = changed ? 0 : quiet + 1;
    if (etag !== undefined || page.waited) waits = page.waited;
    const sent = etag;
    etag = page.complete ? (page.etag ?? etag) : undefined;
    const next = seen.newest() - OVERLAP_MS;
    if (seen.size >= WINDOW_RUNS && next > floor) {
      floor = next;
      etag = undefined;
      seen.forgetBefore(floor);
      continue;
    }
    if (mayAskAtOnce({ waited: page.waited, changed, sent, etag, waits, tookMs })) continue;
    await sleep(idleIntervalMs(quiet, Math.random), options.signal);
  }
}

function windowQuery(query: ListRunsQuery | undefined, floor: number): ListRunsQuery {
  return {
    ...query,
    sort_by: 'updated_at',
    sort_order: 'asc',
    limit: PAGE_SIZE,
    updated_after: new Date(floor).toISOString(),
  };
}

async function readWindow(
  client: Pick<Client, 'ask'>,
  query: ListRunsQuery,
  etag: string | undefined,
  options: WatchOptions,
): Promise<Page> {
  const first = await client.ask('runs', 'list', [query], {
    ...options,
    waitSeconds: WAIT_MAX_SECONDS,
    etag,
  });
  const runs = [...(first.value?.runs ?? [])];
  let cursor = first.value && nextCursor(first.value);
  const complete = cursor === undefined;
  while (cursor !== undefined) {
    const { value } = await client.ask('runs', 'list', [{ ...query, cursor }], options);
    runs.push(...(value?.runs ?? []));
    cursor = value && nextCursor(value);
  }
  return { ...first, runs, complete };
}
