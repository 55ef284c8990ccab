import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Reason } from '../../github/decide/reason.ts';
import type { Replica } from './replica.ts';
import type { AppDb } from './tables.ts';

/** A delivery as it came in, before anything was decided about it. */
export interface NewDelivery {
  guid: string;
  event: string;
  action: string | undefined;
  installationId: number;
  /** What it must stay in order with: `owner/name#12`, or the repository. */
  thread: string;
  /** Node id of the comment or review that was written; unique, whatever the delivery's id. */
  objectId: string | undefined;
  /** The payload as GitHub sent it, valid UTF-8. */
  body: Buffer;
}

export interface Delivery {
  id: string;
  guid: string;
  event: string;
  action: string | null;
  installationId: number;
  thread: string;
  body: string;
  /** What became of it, should its end not have been remembered. */
  reasons: Reason[] | null;
  /** How often it was claimed, this time included. */
  attempts: number;
  /** How many of the earlier tries ended by a fault of ours, and how many by an outage. */
  faults: number;
  waits: number;
  receivedAt: Date;
}

/** Prepared once per connection, for any number of deliveries. */
const INSERT = {
  name: 'insert_deliveries',
  text: `
    insert into app.deliveries (guid, event, action, installation_id, thread, object_id, body)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[],
      $7::text[])
    on conflict do nothing
    returning guid`,
};

/** Room for the payloads of one insert, used again by the next; what is larger gets room of its own. */
const ROOM_BYTES = 1024 * 1024;
const ROOMS_MAX = 2;

export type Insert = (deliveries: readonly NewDelivery[]) => Promise<Set<string>>;

/**
 * Inserts that lay their payloads out in the same room again and again: memory taken anew for each
 * would have all of the heap collected several times a second.
 */
export function createInsert(pool: Pick<Pool, 'query'>): Insert {
  const spare: Buffer[] = [];
  return async (deliveries) => {
    const room = spare.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES);
    const fresh = await insertDeliveries(pool, deliveries, room);
    // Only now: an insert that failed may still be waiting to be sent.
    if (spare.length < ROOMS_MAX) spare.push(room);
    return fresh;
  };
}

/**
 * Stores deliveries in one statement and answers the GUIDs that are new; the unique indexes on GUID
 * and on the comment's node id decide (threats.md G4). Two inserts at the same time meet what they
 * share in the same order, so that neither waits for the other in turn.
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
 * PostgreSQL's binary form of a `text[]`, in the room given where it fits: payloads travel as they
 * came, not quoted and parsed again.
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

/** Which of these GUIDs are in the inbox, whatever became of them. */
export async function knownGuids(db: AppDb, guids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ guid: string }>`
    select guid from app.deliveries where guid = any(${guids}::text[])`.execute(db);
  return new Set(rows.map((row) => row.guid));
}

/**
 * Takes up to `limit` deliveries for this replica: the oldest unfinished one of each thread, where
 * no replica works on it. One that waits for its next try keeps its thread waiting, so that the
 * order within a thread holds.
 */
export async function claimDeliveries(
  db: AppDb,
  replica: Replica,
  limit: number,
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    with next as (
      select id from app.deliveries d
      where finished_at is null and run_at <= now() and (owner_until is null or owner_until < now())
        and not exists (
          select from app.deliveries e
          where e.thread = d.thread and e.finished_at is null and e.id < d.id)
      order by id limit ${limit}
      for update skip locked)
    update app.deliveries d
    set owner = ${replica.id}, owner_until = now() + make_interval(secs => ${replica.leaseSeconds}),
        attempts = attempts + 1
    from next where d.id = next.id
    returning d.id::text, d.guid, d.event, d.action, d.installation_id::float8 as "installationId",
      d.thread, d.body, d.reasons, d.attempts, d.faults, d.waits, d.received_at as "receivedAt"`.execute(
    db,
  );
  return rows.toSorted((a, b) => Number(a.id) - Number(b.id));
}

/** Stores what became of a delivery; one that came another way than through the inbox is known from then on. */
export async function storeReasons(
  db: AppDb,
  { id: guid, name }: { id: string; name: string },
  reasons: readonly Reason[],
): Promise<void> {
  await sql`
    insert into app.deliveries (guid, event, installation_id, thread, reasons, finished_at)
    values (${guid}, ${name}, 0, '', ${reasons}::text[], now())
    on conflict (guid) do update set reasons = excluded.reasons`.execute(db);
}

/** Closes a delivery and forgets its payload; answers what became of it, or nothing if the lease was lost. */
export async function finishDelivery(
  db: AppDb,
  replicaId: string,
  id: string,
  reasons: readonly Reason[] | null,
): Promise<Reason[] | undefined> {
  const { rows } = await sql<{ reasons: Reason[] }>`
    update app.deliveries
    set finished_at = now(), reasons = coalesce(${reasons}::text[], reasons, '{unsupported_event}'),
      body = null, owner = null, owner_until = null
    where id = ${id} and owner = ${replicaId} and finished_at is null
    returning reasons`.execute(db);
  return rows[0]?.reasons;
}

/** Gives a delivery back to be tried again after `delayMs`, and counts why. */
export async function retryDelivery(
  db: AppDb,
  replicaId: string,
  id: string,
  { delayMs, isOutage }: { delayMs: number; isOutage: boolean },
): Promise<void> {
  await sql`
    update app.deliveries
    set owner = null, owner_until = null,
        waits = waits + ${isOutage ? 1 : 0}, faults = faults + ${isOutage ? 0 : 1},
        run_at = now() + make_interval(secs => ${delayMs / 1000}::float8)
    where id = ${id} and owner = ${replicaId} and finished_at is null`.execute(db);
}

/**
 * Renews what this replica works on. Whatever else it claimed runs out: a claim whose answer was lost,
 * work that could not be finished, a replica that ended.
 */
export async function renewDeliveries(
  db: AppDb,
  replica: Replica,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update app.deliveries set owner_until = now() + make_interval(secs => ${replica.leaseSeconds})
    where id = any(${ids}::bigint[]) and owner = ${replica.id} and finished_at is null`.execute(db);
}

/** How many deliveries wait, and since when the oldest does. */
export async function inboxDepth(db: AppDb): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldestSeconds: number }>`
    select count(*)::int as waiting,
      coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as "oldestSeconds"
    from app.deliveries where finished_at is null`.execute(db);
  return rows[0] ?? { waiting: 0, oldestSeconds: 0 };
}

/**
 * Forgets finished deliveries older than `days`; GitHub redelivers for at most 7
 * (github.md, "Deliveries").
 */
export async function purgeDeliveries(db: AppDb, days: number): Promise<void> {
  await sql`
    delete from app.deliveries where finished_at < now() - make_interval(days => ${days})`.execute(
    db,
  );
}
