import { sql, type SqlBool } from 'kysely';
import { OWN_POOL } from '../../contract/agent-config.ts';
import type { ConnectedWorker } from '../../contract/connected-worker.ts';
import type { ServiceContext } from '../context.ts';

/** A worker that was silent for longer is gone: it missed three claims of 25 s. Our own limit. */
export const CONNECTED_SECONDS = 75;

const isPresent = sql<SqlBool>`last_seen_at > now() - make_interval(secs => ${CONNECTED_SECONDS})`;

/** Whether any connected worker offers this agent. */
export async function isOffered(db: ServiceContext['db'], harness: string): Promise<boolean> {
  const found = await db
    .selectFrom('workers')
    .where(isPresent)
    .where(sql<SqlBool>`harnesses @> ${JSON.stringify([harness])}::jsonb`)
    .select('worker_id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * The connected workers that can take a team's runs: one entry per host, newest first. Workers
 * without a host are one entry, under the public name of the service's pool.
 */
export async function listWorkers(
  { db }: Pick<ServiceContext, 'db'>,
  teamId: string,
): Promise<ConnectedWorker[]> {
  const rows = await db
    .selectFrom('workers')
    .where(sql<SqlBool>`(team_id = ${teamId} or (team_id is null and worker_host is null))`)
    .where(isPresent)
    .groupBy('worker_host')
    .select(({ fn }) => [
      'worker_host',
      fn.countAll<number>().as('connection_count'),
      fn.min('connected_at').as('connected_at'),
      fn.max('last_seen_at').as('last_seen_at'),
    ])
    .orderBy('last_seen_at', 'desc')
    .execute();
  return rows.map((row) => ({
    worker_host: row.worker_host ?? OWN_POOL,
    connection_count: row.connection_count,
    connected_at: row.connected_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
  }));
}
