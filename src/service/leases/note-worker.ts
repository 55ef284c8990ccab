import { sql } from 'kysely';
import type { ClaimRequest } from '../../contract/lease.ts';
import type { Principal } from '../keys/principal.ts';
import type { Db } from '../tables.ts';

/** A worker that was silent for longer counts as newly connected. */
const PRESENT_SECONDS = 60;

/** Precision of `last_seen_at`; writing it with each claim would cost a transaction each time. */
const NOTED_MS = 5000;
const NOTED_MAX = 10_000;

/** What each worker reported last, and when that was written. */
export type NotedWorkers = Map<string, { said: string; at: number }>;

/** Records that a worker is there and what it can do. */
export async function noteWorker(
  { db, notedWorkers: noted }: { db: Db; notedWorkers: NotedWorkers },
  caller: Principal,
  worker: ClaimRequest,
  environments: readonly string[] | undefined,
): Promise<void> {
  const name = `${caller.keyId} ${worker.worker_id}`;
  const said = JSON.stringify(worker);
  const last = noted.get(name);
  if (last?.said === said && Date.now() - last.at < NOTED_MS) return;
  await caller.unproven?.prove();
  if (noted.size >= NOTED_MAX) noted.clear();
  noted.set(name, { said, at: Date.now() });
  const now = sql<Date>`now()`;
  const now_known = {
    team_id: caller.teamId,
    worker_host: worker.worker_host ?? null,
    harnesses: JSON.stringify(worker.harnesses),
    environments: environments ? JSON.stringify(environments) : null,
    sandbox: worker.sandbox ?? null,
    version: worker.version ?? null,
    capacity: worker.capacity,
    slots: worker.slots ?? null,
    last_seen_at: now,
  };
  await db
    .insertInto('workers')
    .values({
      ...now_known,
      key_id: caller.keyId,
      worker_id: worker.worker_id,
      connected_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'worker_id']).doUpdateSet({
        ...now_known,
        connected_at: sql<Date>`case when workers.last_seen_at < now() - ${PRESENT_SECONDS} * interval '1 s' then now() else workers.connected_at end`,
      }),
    )
    .execute();
}
