import { sql } from 'kysely';
import type { ServiceContext } from '../context.ts';
import { announce } from '../waiting/changes.ts';
import { SKILLS_TOPIC } from './sources.ts';
import type { VisibleSource } from './visible-skills.ts';

/** Requests that these repositories are read again. */
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

/** Skills that were read longer ago are read again when somebody asks for them. */
const STALE_MS = 60 * 60_000;

/**
 * Requests outdated repositories to be read again; the current request is answered with what is
 * known.
 */
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

/** Waits until these repositories were read after being requested, or the time is over. */
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
