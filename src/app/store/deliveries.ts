import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Reason } from '../../github/decide/reason.ts';
import { NOW, ageSeconds, daysAgo, fromNow } from './database-time.ts';
import type { Replica } from './replica.ts';
import type { AppDb } from './tables.ts';

/** A delivery as it was received. */
export interface NewDelivery {
  guid: string;
  event: string;
  action: string | undefined;
  installationId: number;
  /** The queue in which it must keep its order: `owner/name#12`, or the repository. */
  thread: string;
  /** Node id of the comment or review; the same in every delivery about it. */
  objectId: string | undefined;
  /** The payload as GitHub sent it, valid UTF-8. */
  body: Buffer;
}

export interface Delivery {
  id: number;
  guid: string;
  event: string;
  action: string | null;
  installationId: number;
  thread: string;
  body: string;
  /** Its outcome, if handling ended but that end could not be stored. */
  reasons: Reason[] | null;
  /** How often it was claimed, this time included. */
  attempts: number;
  /** How many earlier tries failed through a fault of ours, and how many through an outage. */
  faults: number;
  waits: number;
  receivedAt: Date;
}

/** Prepared once per connection; takes any number of deliveries. */
const INSERT = {
  name: 'insert_deliveries',
  text: `
    insert into deliveries (guid, event, action, installation_id, thread, object_id, body)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[],
      $7::text[])
    on conflict do nothing
    returning guid`,
};

/** Buffers for the payloads of an insert, reused by the next one; a larger insert gets its own. */
const ROOM_BYTES = 1024 * 1024;
const ROOMS_MAX = 2;

export type Insert = (deliveries: readonly NewDelivery[]) => Promise<Set<string>>;

/**
 * Makes an insert that reuses its payload buffers: allocating new ones each time would trigger a
 * full garbage collection several times a second.
 */
export function createInsert(pool: Pick<Pool, 'query'>): Insert {
  const spare: Buffer[] = [];
  return async (deliveries) => {
    const room = spare.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES);
    const fresh = await insertDeliveries(pool, deliveries, room);
    // Returned only on success: an insert that failed may still be waiting to be sent.
    if (spare.length < ROOMS_MAX) spare.push(room);
    return fresh;
  };
}

/**
 * Stores deliveries in one statement and returns the GUIDs that are new; the unique indexes on GUID
 * and on the comment's node id decide (threats.md G4). Rows are sorted, so that two concurrent
 * inserts lock what they share in the same order and cannot deadlock.
 */
export async function insertDeliveries(
  pool: Pick<Pool, 'query'>,
  deliveries: readonly NewDelivery[],
  room: Buffer = Buffer.alloc(0),
): Promise<Set<string>> {
  const all = deliveries.toSorted((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
  const { rows } = await pool.query<{ guid: string }>({
    ...INSERT,
    values: [
      all.map((one) => one.guid),
      all.map((one) => one.event),
      all.map((one) => one.action ?? null),
      all.map((one) => one.installationId),
      all.map((one) => one.thread),
      all.map((one) => one.objectId ?? null),
      textArray(
        all.map((one) => one.body),
        room,
      ),
    ],
  });
  return new Set(rows.map((row) => row.guid));
}

function identityOf(delivery: NewDelivery): string {
  return delivery.objectId ?? delivery.guid;
}

const TEXT_OID = 25;

/**
 * PostgreSQL's binary form of a `text[]`, in the given buffer if it fits: payloads are sent as they
 * came instead of being quoted and parsed again.
 */
function textArray(texts: readonly Buffer[], room: Buffer): Buffer {
  const length = texts.reduce((sum, text) => sum + 4 + text.length, 20);
  const array = length <= room.length ? room.subarray(0, length) : Buffer.allocUnsafe(length);
  let at = 0;
  for (const word of [1, 0, TEXT_OID, texts.length, 1]) at = array.writeInt32BE(word, at);
  for (const text of texts) {
    at = array.writeInt32BE(text.length, at);
    at += text.copy(array, at);
  }
  return array;
}

/** Which of these GUIDs are stored, whatever their outcome. */
export async function knownGuids(db: AppDb, guids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('deliveries')
    .where('guid', '=', sql<string>`any(${guids})`)
    .select('guid')
    .execute();
  return new Set(rows.map((row) => row.guid));
}

/**
 * Claims up to `limit` deliveries for this replica: the oldest unfinished one of each thread that
 * no replica works on. A delivery that waits for its next try keeps its thread waiting, so that the
 * order within a thread holds.
 */
export async function claimDeliveries(
  db: AppDb,
  replica: Replica,
  limit: number,
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    with next as (
      select id from deliveries d
      where finished_at is null and run_at <= now() and (owner_until is null or owner_until < now())
        and not exists (
          select from deliveries e
          where e.thread = d.thread and e.finished_at is null and e.id < d.id)
      order by id limit ${limit}
      for update skip locked)
    update deliveries d
    set owner = ${replica.id}, owner_until = ${fromNow(replica.leaseMs)}, attempts = attempts + 1
    from next where d.id = next.id
    returning d.id, d.guid, d.event, d.action, d.installation_id as "installationId", d.thread,
      d.body, d.reasons, d.attempts, d.faults, d.waits, d.received_at as "receivedAt"`.execute(db);
  return rows.toSorted((a, b) => a.id - b.id);
}

/** Stores the outcome of a delivery. One that did not come through the inbox gets a row now. */
export async function storeReasons(
  db: AppDb,
  { id: guid, name: event }: { id: string; name: string },
  reasons: readonly Reason[],
): Promise<void> {
  const known = { reasons: [...reasons] };
  await db
    .insertInto('deliveries')
    .values({ guid, event, installation_id: 0, thread: '', finished_at: NOW, ...known })
    .onConflict((conflict) => conflict.column('guid').doUpdateSet(known))
    .execute();
}

/**
 * Finishes a delivery and drops its payload. Returns its outcome, or nothing if the lease was lost.
 */
export async function finishDelivery(
  db: AppDb,
  replicaId: string,
  id: number,
  reasons: readonly Reason[] | null,
): Promise<Reason[] | undefined> {
  const finished = await db
    .updateTable('deliveries')
    .set({
      finished_at: NOW,
      reasons: sql`coalesce(${reasons}::text[], reasons, '{unsupported_event}')`,
      body: null,
      owner: null,
      owner_until: null,
    })
    .where('id', '=', id)
    .where('owner', '=', replicaId)
    .where('finished_at', 'is', null)
    .returning('reasons')
    .executeTakeFirst();
  return finished?.reasons ?? undefined;
}

/** Returns a delivery to be tried again after `delayMs`, and counts the reason. */
export async function retryDelivery(
  db: AppDb,
  replicaId: string,
  id: number,
  { delayMs, isOutage }: { delayMs: number; isOutage: boolean },
): Promise<void> {
  const why = isOutage ? 'waits' : 'faults';
  await db
    .updateTable('deliveries')
    .set({ owner: null, owner_until: null, run_at: fromNow(delayMs) })
    .set(why, (it) => it(why, '+', 1))
    .where('id', '=', id)
    .where('owner', '=', replicaId)
    .where('finished_at', 'is', null)
    .execute();
}

/**
 * Renews the leases of what this replica works on. Anything else that it claimed expires: a claim
 * whose answer was lost, work that could not be finished, a replica that stopped.
 */
export async function renewDeliveries(
  db: AppDb,
  replica: Replica,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('deliveries')
    .set({ owner_until: fromNow(replica.leaseMs) })
    .where('id', 'in', ids)
    .where('owner', '=', replica.id)
    .where('finished_at', 'is', null)
    .execute();
}

/** How many deliveries wait, and the age of the oldest. */
export async function inboxDepth(db: AppDb): Promise<{ waiting: number; oldestSeconds: number }> {
  return db
    .selectFrom('deliveries')
    .where('finished_at', 'is', null)
    .select((it) => [it.fn.countAll<number>().as('waiting'), ageSeconds('received_at')])
    .executeTakeFirstOrThrow();
}

/**
 * Deletes finished deliveries older than `days`; GitHub redelivers for at most 7 (github.md,
 * "Deliveries").
 */
export async function purgeDeliveries(db: AppDb, days: number): Promise<void> {
  await db.deleteFrom('deliveries').where('finished_at', '<', daysAgo(days)).execute();
}
