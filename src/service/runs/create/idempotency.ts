import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { invalidField, ProblemError } from '../../../contract/problem.ts';
import type { ServiceContext } from '../../context.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import type { Db } from '../../tables.ts';

const HEADER = 'idempotency-key';
const KEY_MAX = 512;

/** Identifies a request that may arrive more than once. */
export interface OnceKey {
  teamId: string;
  principal: string;
  /** The caller's key, prefixed with the operation. */
  key: string;
  bodyHash: Buffer;
}

/** The request's `Idempotency-Key`; undefined if it has none. */
export function readOnceKey(
  request: Request,
  caller: TeamPrincipal,
  operation: string,
  body: unknown,
): OnceKey | undefined {
  const key = request.headers.get(HEADER);
  if (key === null) return undefined;
  if (key === '' || key.length > KEY_MAX)
    throw invalidField('Idempotency-Key', `must have 1 to ${KEY_MAX} characters`);
  return {
    teamId: caller.teamId,
    principal: caller.uid,
    key: `${operation}:${key}`,
    bodyHash: hash('sha256', canonical(body), 'buffer'),
  };
}

/**
 * Runs `act` once per key, in the caller's transaction. A repeated request gets the first one's
 * answer, and waits for it if needed. The same key with another body is a 409.
 */
export async function once<T>(
  trx: Db,
  onceKey: OnceKey | undefined,
  runId: string | null,
  act: () => Promise<T>,
): Promise<T> {
  if (!onceKey) return act();
  const { teamId, principal, key, bodyHash } = onceKey;
  const place = { team_id: teamId, principal, key };
  const table = runId === null ? 'made_once' : 'idempotency_keys';
  const taken = await trx
    .insertInto(table)
    .values({
      ...place,
      ...(runId === null ? {} : { run_id: runId }),
      body_hash: bodyHash,
      answer: 'null',
      created_at: sql`now()`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (taken.numInsertedOrUpdatedRows === 0n) return repeated<T>(trx, table, onceKey);
  const answer = await act();
  await trx
    .updateTable(table)
    .set({ answer: JSON.stringify(answer) })
    .where((where) => where.and(place))
    .execute();
  return answer;
}

/** Runs `act`. If it refuses a request that was answered before, returns the earlier answer. */
export async function onceAllowed<T>(
  { db }: Pick<ServiceContext, 'db'>,
  onceKey: OnceKey | undefined,
  table: OnceTable,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const first =
      onceKey && error instanceof ProblemError ? await firstOf(db, table, onceKey) : undefined;
    if (!onceKey || !first?.body_hash.equals(onceKey.bodyHash)) throw error;
    return first.answer as T;
  }
}

type OnceTable = 'made_once' | 'idempotency_keys';

function firstOf(db: Db, table: OnceTable, { teamId, principal, key }: OnceKey) {
  return db
    .selectFrom(table)
    .where('team_id', '=', teamId)
    .where('principal', '=', principal)
    .where('key', '=', key)
    .select(['body_hash', 'answer'])
    .executeTakeFirst();
}

async function repeated<T>(trx: Db, table: OnceTable, onceKey: OnceKey): Promise<T> {
  const first = await firstOf(trx, table, onceKey);
  if (!first?.body_hash.equals(onceKey.bodyHash))
    throw new ProblemError('conflict', {
      title: 'This Idempotency-Key was used with another request.',
      detail: 'Send the first request’s body again, or use a new key.',
      field: 'Idempotency-Key',
    });
  return first.answer as T;
}

/** Deletes keys that did not create a run after a day; those of runs are deleted with their run. */
export async function sweepOnceKeys({ db }: Pick<ServiceContext, 'db'>): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('made_once')
    .where('created_at', '<', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** JSON with sorted keys, so that equal content has equal hashes. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
