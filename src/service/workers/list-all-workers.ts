import { sql, type SqlBool } from 'kysely';
import type { WorkerItem } from '../../contract/connected-worker.ts';
import type { ServiceContext } from '../context.ts';
import { readableBy, type Reader } from '../keys/spaces.ts';
import { CONNECTED_SECONDS } from './list-workers.ts';

/** Every connected worker that can take a team's runs, busiest first. */
export async function listAllWorkers(
  { db }: Pick<ServiceContext, 'db'>,
  reader: Reader,
): Promise<WorkerItem[]> {
  const { teamId } = reader;
  const workers = await db
    .selectFrom('workers')
    .where(sql<SqlBool>`(team_id = ${teamId} or (team_id is null and worker_host is null))`)
    .where('last_seen_at', '>', sql<Date>`now() - make_interval(secs => ${CONNECTED_SECONDS})`)
    .selectAll()
    .execute();
  // Read by the index of claimed runs, which are no more than the workers have places for.
  const claimed = await db
    .selectFrom('runs')
    .where(sql<SqlBool>`state in ('PENDING', 'INPROGRESS') and lease_worker is not null`)
    .select(['id', 'title', 'team_id', 'lease_worker'])
    .orderBy('created_at')
    .execute();
  const byWorker = Map.groupBy(claimed, (run) => run.lease_worker);
  return workers
    .map((worker) => {
      const taken = byWorker.get(worker.worker_id) ?? [];
      const own = taken.filter((run) => readableBy(reader).includes(run.team_id));
      const { worker_id, worker_host, harnesses, sandbox, version } = worker;
      return {
        worker_id,
        worker_host,
        harnesses,
        sandbox,
        version,
        working: taken.length,
        free: worker.slots === null ? worker.capacity : Math.max(0, worker.slots - taken.length),
        runs: own.map(({ id: run_id, title }) => ({ run_id, title })),
        connected_at: worker.connected_at.toISOString(),
        last_seen_at: worker.last_seen_at.toISOString(),
      };
    })
    .toSorted((a, b) => b.working - a.working || a.worker_id.localeCompare(b.worker_id));
}
