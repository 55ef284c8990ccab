import { z } from 'zod';
import { errorMessage } from '../../base/error.ts';
import { readGithubFailure } from '../../github/read/github-failure.ts';
import { ask, statusOf } from '../../github/read/octokit.ts';
import type { AppContext } from '../context.ts';
import { isHandled } from '../http/filter.ts';
import { knownGuids } from '../store/deliveries.ts';
import { readFact, writeFact } from '../store/replica.ts';

const FACT = 'deliveries_asked_until';
/** GitHub keeps deliveries this long (github.md, "Deliveries"). */
const WINDOW_MS = 3 * 24 * 3_600_000;
/**
 * This much is read again on each pass, because a delivery may be listed, or fail, some minutes
 * late.
 */
const OVERLAP_MS = 30 * 60_000;
/** Leaves the App most of its requests of an hour. */
const PAGES_MAX = 1000;
const PAGE_SIZE = 100;

interface Listed {
  id: number | bigint;
  guid: string;
  delivered_at: string;
  event: string;
  status_code: number;
}

type RecoverContext = Pick<AppContext, 'db' | 'appGithub' | 'log'>;

/**
 * Asks GitHub for deliveries that failed or were missed while we were down, and requests those
 * again that the inbox does not know: "failed" does not mean "not processed" (github.md,
 * "Deliveries"). If one fails again, it is requested after `everyMs`, then after twice as long each
 * time, until GitHub forgets it. Returns how many were requested.
 */
export async function recoverDeliveries(context: RecoverContext, everyMs: number): Promise<number> {
  const until = z.number().safeParse(await readFact(context.db, FACT));
  const { listed, from, now } = await listSince(context, (until.data ?? 0) - OVERLAP_MS);
  const missed = await findMissed(context, listed);
  const github = await context.appGithub();
  let asked = 0;
  for (const { newest, tries } of missed) {
    const restMs = everyMs * 2 ** (tries - 2);
    if (tries > 1 && Date.parse(newest.delivered_at) + restMs > now) continue;
    const about = { delivery: newest.guid, event: newest.event };
    try {
      // The id has 19 digits, so it stays text: a number would be rounded.
      await ask(github, 'POST /app/hook/deliveries/{id}/attempts', { id: String(newest.id) });
      asked += 1;
      context.log.info(about, 'asked for redelivery');
    } catch (error) {
      const isOfAll =
        statusOf(error) === undefined || readGithubFailure(error, now).kind === 'limit';
      if (isOfAll) throw error;
      context.log.warn({ ...about, error: errorMessage(error) }, 'GitHub does not redeliver');
    }
  }
  const seen = listed.map((one) => Date.parse(one.delivered_at));
  const wanted = missed.map((one) => one.since + OVERLAP_MS);
  await writeFact(context.db, FACT, Math.min(Math.max(from, ...seen), ...wanted));
  return asked;
}

/** The deliveries since a time, as far back as GitHub keeps them; `now` is GitHub's clock. */
async function listSince(
  context: RecoverContext,
  since: number,
): Promise<{ listed: Listed[]; from: number; now: number }> {
  const github = await context.appGithub();
  const all: Listed[] = [];
  let cursor: string | undefined;
  let now = Date.now();
  let from = since;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await github.request('GET /app/hook/deliveries', {
      per_page: PAGE_SIZE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    now = Date.parse(answer.headers.date ?? '') || now;
    from = Math.max(since, now - WINDOW_MS);
    all.push(...answer.data);
    const oldest = answer.data.at(-1)?.delivered_at;
    cursor = nextCursor(answer.headers.link);
    if (cursor === undefined || oldest === undefined || Date.parse(oldest) < from) break;
  }
  if (all.length >= PAGES_MAX * PAGE_SIZE) {
    context.log.error({ since: new Date(from) }, 'too many deliveries to look through them all');
  }
  const listed = all.filter((delivery) => Date.parse(delivery.delivered_at) >= from);
  return { listed, from, now };
}

function nextCursor(link: string | undefined): string | undefined {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return (next && URL.parse(next)?.searchParams.get('cursor')) ?? undefined;
}

interface Missed {
  newest: Listed;
  tries: number;
  /** When GitHub first tried it, in milliseconds. */
  since: number;
}

/**
 * Deliveries of events that we handle, that failed, and that the inbox does not know; oldest first.
 */
async function findMissed(context: RecoverContext, listed: readonly Listed[]): Promise<Missed[]> {
  const byGuid = Map.groupBy(listed, (delivery) => delivery.guid);
  const failed = [...byGuid.values()].flatMap((tries): Missed[] => {
    const taken = tries.some((one) => one.status_code >= 200 && one.status_code < 300);
    const [newest] = tries.toSorted((a, b) => b.delivered_at.localeCompare(a.delivered_at));
    if (taken || newest === undefined || !isHandled(newest.event)) return [];
    const since = Math.min(...tries.map((one) => Date.parse(one.delivered_at)));
    return [{ newest, tries: tries.length, since }];
  });
  const known = await knownGuids(
    context.db,
    failed.map((missed) => missed.newest.guid),
  );
  return failed
    .filter((missed) => !known.has(missed.newest.guid))
    .toSorted((a, b) => a.since - b.since);
}
