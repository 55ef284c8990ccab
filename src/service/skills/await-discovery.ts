import { sql } from 'kysely';
import type { ServiceContext } from '../context.ts';
import { announce } from '../waiting/changes.ts';
import { SKILLS_TOPIC } from './sources.ts';
import type { VisibleSource } from './visible-skills.ts';

/** Asks for these repositories to be read anew. */
export async function requestDiscovery(
  { db }: ServiceContext,
  sources: readonly VisibleSource[],
): Promise<void> {
  if (sources.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('skill_sources')
      .set({ requested_at: sql`now()` })
      .where(
        'id',
        'in',
        sources.map(({ row }) => row.id),
      )
      .execute();
    await announce(trx, [SKILLS_TOPIC]);
  });
}

/** What was read longer ago than this is read anew when somebody asks for it. */
const STALE_MS = 60 * 60_000;

/** Has stale repositories read anew for the next who asks; this one is answered from what is known. */
export async function renewStale(
  context: ServiceContext,
  sources: readonly VisibleSource[],
): Promise<void> {
  const stale = sources.filter(
    ({ row: { discovered_at: at, requested_at: asked } }) =>
      at !== null && asked <= at && Date.now() - at.getTime() > STALE_MS,
  );
  await requestDiscovery(context, stale);
}

/** Waits until these repositories were read since they were asked for, or the time is over. */
export async function awaitDiscovery(
  { db, changes }: ServiceContext,
  sources: readonly VisibleSource[],
  seconds: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  if (sources.length === 0) return;
  const ids = sources.map(({ row }) => row.id);
  await changes.waitFor([SKILLS_TOPIC], { seconds, signal }, async () => {
    const due = await db
      .selectFrom('skill_sources')
      .where('id', 'in', ids)
      .where((where) =>
        where.or([
          where('discovered_at', 'is', null),
          where('discovered_at', '<', where.ref('requested_at')),
        ]),
      )
      .select('id')
      .limit(1)
      .executeTakeFirst();
    return due ? undefined : true;
  });
}
