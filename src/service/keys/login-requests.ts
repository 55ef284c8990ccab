import { hash, randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { LOGIN_POLL_SECONDS } from '../../contract/access.ts';
import { ProblemError } from '../../contract/problem.ts';
import { personActor, recordAudit, together } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import type { Db } from '../tables.ts';
import { createKey } from './create-key.ts';
import { hashSecret, loginKeyText } from './key-text.ts';

/** Consonants that do not look alike and cannot form words (RFC 8628 6.1). */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const LIVES_MS = 10 * 60_000;
/** Most requests that may be pending, because anybody can make one. */
const WAITING_MAX = 1000;

/** What is shown to the person who approves. */
export interface LoginRequest {
  client: string;
  createdAt: Date;
}

const living = sql<Date>`now()`;

/**
 * Stores the request of a command line for a key. Throws `resource_unavailable` if too many are
 * pending.
 */
export async function beginLogin(
  { db, publicUrl }: ServiceContext,
  { client, challenge }: { client: string; challenge: string },
) {
  await db.deleteFrom('login_requests').where('expires_at', '<', living).execute();
  const { waiting } = await db
    .selectFrom('login_requests')
    .select((eb) => eb.fn.countAll<string>().as('waiting'))
    .executeTakeFirstOrThrow();
  if (Number(waiting) >= WAITING_MAX)
    throw new ProblemError('resource_unavailable', {
      detail: 'Too many sign-ins wait for their approval. Try again in a few minutes.',
    });
  const [id, user_code] = [randomUUID(), newCode()];
  const expires_at = new Date(Date.now() + LIVES_MS);
  await db
    .insertInto('login_requests')
    .values({ id, user_code, challenge, client, expires_at })
    .execute();
  return {
    login_id: id,
    user_code,
    approve_url: `${publicUrl()}/settings/login?code=${user_code}`,
    expires_at: expires_at.toISOString(),
    interval_seconds: LOGIN_POLL_SECONDS,
  } as const;
}

/** The pending request with this code. */
export async function findLogin(db: Db, code: string): Promise<LoginRequest | undefined> {
  return db
    .selectFrom('login_requests')
    .where('user_code', '=', readCode(code))
    .where('expires_at', '>', living)
    .where('approved', 'is', null)
    .select(['client', 'created_at as createdAt'])
    .executeTakeFirst();
}

/** Approves or denies a request, once; false if no request with this code is pending. */
export async function decideLogin(
  db: Db,
  code: string,
  person: { userId: string; displayName: string; teamId: string; keyEndsAt: Date | null },
  approved: boolean,
): Promise<boolean> {
  return together(db, async (trx) => {
    const decided = await trx
      .updateTable('login_requests')
      .set({
        approved,
        user_id: person.userId,
        team_id: person.teamId,
        key_expires_at: person.keyEndsAt,
      })
      .where('user_code', '=', readCode(code))
      .where('expires_at', '>', living)
      .where('approved', 'is', null)
      .returning(['id', 'client'])
      .executeTakeFirst();
    if (!decided) return false;
    await recordAudit(trx, personActor(person.userId, person.displayName), {
      teamId: person.teamId,
      action: approved ? 'terminal.approved' : 'terminal.denied',
      object: { type: 'terminal', id: decided.id, name: decided.client },
    });
    return true;
  });
}

/**
 * Gives the approved key to whoever proves to have made the request. The key is derived, so a
 * client that lost the answer can ask again.
 */
export async function finishLogin(
  { db, secrets }: ServiceContext,
  loginId: string,
  verifier: string,
): Promise<{ state: 'pending' | 'approved' | 'denied'; api_key?: string }> {
  const login = await db
    .selectFrom('login_requests')
    .where(sql<string>`id::text`, '=', loginId.toLowerCase())
    .where('expires_at', '>', living)
    .where('challenge', '=', hash('sha256', verifier, 'base64url'))
    .selectAll()
    .executeTakeFirst();
  if (!login) throw new ProblemError('resource_not_found');
  const { approved, user_id, team_id, client: name, key_expires_at: expires_at } = login;
  if (approved === null || !user_id || !team_id) return { state: 'pending' };
  if (!approved) return { state: 'denied' };
  const api_key = loginKeyText(secrets.runKey, login.id, verifier);
  await db.transaction().execute(async (trx) => {
    await trx
      .selectFrom('login_requests')
      .where('id', '=', login.id)
      .select('id')
      .forUpdate()
      .execute();
    const made = await trx
      .selectFrom('api_keys')
      .where('hash', '=', hashSecret(api_key))
      .select('id')
      .executeTakeFirst();
    const key = { name, user_id, team_id, expires_at };
    if (made) return;
    const { display_name } = await trx
      .selectFrom('users')
      .where('id', '=', user_id)
      .select('display_name')
      .executeTakeFirstOrThrow();
    const by = personActor(user_id, display_name);
    await createKey(trx, by, { kind: 'personal', ...key }, () => api_key);
  });
  return { state: 'approved', api_key };
}

function newCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () =>
    CODE_LETTERS.charAt(randomInt(CODE_LETTERS.length)),
  );
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}

/** Normalises a typed code: any case, with or without the hyphen. */
function readCode(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
