import { z } from 'zod';
import type { AppContext } from '../context.ts';
import { HANDLED } from '../http/filter.ts';
import { knownGuids } from '../store/deliveries.ts';
import { readFact, writeFact } from '../store/replica.ts';

const FACT = 'deliveries_asked_until';
/** GitHub keeps deliveries this long (bots.md 3). */
const WINDOW_MS = 3 * 24 * 3_600_000;
/** Read again on each pass: deliveries may be listed, or fail, some minutes late. */
const OVERLAP_MS = 30 * 60_000;
const PAGES_MAX = 100;
/** A delivery that failed this often is the sender's or our fault, not an outage's. */
const TRIES_MAX = 5;

interface Listed {
  id: number | bigint;
  guid: string;
  delivered_at: string;
  event: string;
  status_code: number;
}

/**
 * Asks GitHub for deliveries that failed or were missed while we were down, and has those redelivered
 * that the inbox does not know: "failed" does not mean "not processed" (bots.md 3). Answers how many.
 */
export async function recoverDeliveries(context: AppContext): Promise<number> {
  const begun = Date.now();
  const until = z.number().safeParse(await readFact(context.db, FACT));
  const from = Math.max(begun - WINDOW_MS, (until.data ?? 0) - OVERLAP_MS);
  const listed = await listSince(context, from);
  const missed = await findMissed(context, listed);
  const github = await context.appGithub();
  for (const delivery of missed) {
    await github.request('POST /app/hook/deliveries/{delivery_id}/attempts', {
      delivery_id: Number(delivery.id),
    });
    context.log.info({ delivery: delivery.guid, event: delivery.event }, 'asked for redelivery');
  }
  const newest = Math.max(from, ...listed.map((one) => Date.parse(one.delivered_at)));
  await writeFact(context.db, FACT, newest);
  return missed.length;
}

async function listSince(context: AppContext, from: number): Promise<Listed[]> {
  const github = await context.appGithub();
  const all: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await github.request('GET /app/hook/deliveries', {
      per_page: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    all.push(...answer.data);
    const oldest = answer.data.at(-1)?.delivered_at;
    cursor = nextCursor(answer.headers.link);
    if (cursor === undefined || oldest === undefined || Date.parse(oldest) < from) break;
  }
  return all.filter((delivery) => Date.parse(delivery.delivered_at) >= from);
}

function nextCursor(link: string | undefined): string | undefined {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return (next && URL.parse(next)?.searchParams.get('cursor')) ?? undefined;
}

/** The newest try of each event that we act on, never took, and do not know. */
async function findMissed(context: AppContext, listed: readonly Listed[]): Promise<Listed[]> {
  const byGuid = Map.groupBy(listed, (delivery) => delivery.guid);
  const failed = [...byGuid.values()].flatMap((tries) => {
    const taken = tries.some((one) => one.status_code >= 200 && one.status_code < 300);
    const [newest] = tries.toSorted((a, b) => b.delivered_at.localeCompare(a.delivered_at));
    const isOurs = newest !== undefined && newest.event in HANDLED;
    return taken || !isOurs || tries.length >= TRIES_MAX ? [] : [newest];
  });
  const known = await knownGuids(
    context.db,
    failed.map((delivery) => delivery.guid),
  );
  return failed
    .filter((delivery) => !known.has(delivery.guid))
    .toSorted((a, b) => a.delivered_at.localeCompare(b.delivered_at));
}
