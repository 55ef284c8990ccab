import { timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { batched } from '../../base/batch.ts';
import { errorMessage } from '../../base/error.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import type { Db } from '../tables.ts';
import { hashSecret, isGoodKey } from './key-text.ts';
import type { KeyRow, Principal } from './principal.ts';

/** Precision of `last_used_at`; updating it on each request would cost a transaction each time. */
const LAST_USED_SECONDS = 60;
const KEY_MAX = 512;
const KEYS_AT_ONCE = 100;
/**
 * A worker's key that was checked this recently need not be looked up if the statement that follows
 * checks it.
 */
const GOOD_FOR_MS = 60_000;
const GOOD_MAX = 10_000;

/** Needed for every request, so the query is prepared once per connection. */
const FIND_KEYS = `
  select k.id, k.hash, k.kind, k.name as key_name, k.team_id, k.run_id, k.last_used_at, k.expires_at,
    u.id as user_id, s.id as own_space, u.display_name, u.email, a.uid as agent_uid, a.name as agent_name,
    null::uuid as subject, m.role
  from api_keys k
  left join users u on u.id = k.user_id
  left join memberships m on m.team_id = k.team_id and m.user_id = k.user_id
  left join spaces s on s.team_id = k.team_id and s.user_id = k.user_id and k.kind = 'personal'
  left join identities a on a.uid = k.agent_uid and a.deleted_at is null
  where k.hash = any($1::bytea[]) and ${isGoodKey('k')}
  union all
  select w.id, w.hash, 'workflow', w.name, w.team_id, null, now(), w.expires_at,
    null, null, null, null, null, null, w.subject, w.role
  from workflow_keys w
  where w.hash = any($1::bytea[]) and w.expires_at > now()`;

/** Looks keys up on each request, so that a revoked key stops working at once on every node. */
export function createKeyFinder(pool: Pool): (hash: Buffer) => Promise<KeyRow | undefined> {
  return batched(
    async (hashes) => {
      const { rows } = await pool.query<KeyRow>({
        name: 'runlink_find_keys',
        text: FIND_KEYS,
        values: [hashes],
      });
      const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]));
      return (hash) => found.get(hash.toString('hex'));
    },
    { max: KEYS_AT_ONCE, maxBytes: Infinity, bytesOf: () => 0, isOneAtFault: () => false },
  );
}

function baseOf({ id: keyId, team_id: teamId, run_id, expires_at: endsAt }: KeyRow) {
  return { keyId, teamId, endsAt, runId: run_id ?? undefined };
}

/** Undefined if the person has left the team. */
function personOf(row: KeyRow): Principal | undefined {
  const { user_id: uid, role, email } = row;
  if (uid === null || role === null) return undefined;
  const profile = {
    type: 'user' as const,
    uid,
    display_name: row.display_name ?? '',
    ...(email === null ? {} : { email }),
  };
  const ownSpace = row.own_space ?? undefined;
  return { ...baseOf(row), kind: 'personal', uid, role, ownSpace, profile };
}

function principalOf(row: KeyRow): Principal | undefined {
  if (row.kind === 'personal') return personOf(row);
  const base = baseOf(row);
  if (row.kind === 'agent') {
    if (row.agent_uid === null) return undefined;
    const display_name = row.agent_name ?? '';
    const profile = { type: 'service_account' as const, uid: row.agent_uid, display_name };
    return { ...base, kind: 'agent', uid: row.agent_uid, profile };
  }
  const uid = row.subject ?? row.id;
  const profile = { type: 'service_account' as const, uid, display_name: row.key_name };
  return { ...base, kind: row.kind, uid, profile, ...(row.role && { role: row.role }) };
}

async function touchKey(db: Db, row: KeyRow): Promise<void> {
  const age = row.last_used_at ? Date.now() - row.last_used_at.getTime() : Infinity;
  if (age < LAST_USED_SECONDS * 1000) return;
  await db
    .updateTable('api_keys')
    .set({ last_used_at: new Date() })
    .where('id', '=', row.id)
    .execute();
}

type Keys = Pick<ServiceContext, 'findKey' | 'goodKeys' | 'db' | 'log'>;

async function lookUp({ findKey, db, log }: Keys, hash: Buffer): Promise<Principal | undefined> {
  const row = await findKey(hash);
  if (!row || !timingSafeEqual(row.hash, hash)) return undefined;
  touchKey(db, row).catch((error: unknown) =>
    log.debug({ reason: errorMessage(error) }, 'last use of a key not noted'),
  );
  return principalOf(row);
}

/**
 * Returns who a raw key belongs to; undefined if it is unknown, revoked, expired or orphaned. With
 * `mayBeUnproven`, a worker's key that was good a moment ago is not looked up here: the statement
 * that writes for it checks the key, which saves a round trip (leases/write-words.ts).
 */
export async function authenticate(
  keys: Keys,
  rawKey: string,
  { mayBeUnproven } = { mayBeUnproven: false },
): Promise<Principal | undefined> {
  if (rawKey.length > KEY_MAX) return undefined;
  const { goodKeys } = keys;
  const hash = hashSecret(rawKey);
  const hex = hash.toString('hex');
  const good = mayBeUnproven ? goodKeys.get(hex) : undefined;
  const isGood = good !== undefined && Date.now() - good.at < GOOD_FOR_MS;
  const principal = isGood ? good.principal : await lookUp(keys, hash);
  if (principal?.kind !== 'worker') return principal;
  if (goodKeys.size >= GOOD_MAX) goodKeys.clear();
  if (!isGood) goodKeys.set(hex, { principal, at: Date.now() });
  const prove = async (): Promise<void> => {
    if (await lookUp(keys, hash)) return;
    goodKeys.delete(hex);
    throw new ProblemError('authentication_required');
  };
  return mayBeUnproven ? { ...principal, unproven: { hash: hex, prove } } : principal;
}
