import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { SignIn } from '../../contract/people.ts';
import type { Role } from '../../contract/role.ts';
import { personActor, recordAudit, together } from '../audit/record-audit.ts';
import { callerAddress } from '../http/caller-address.ts';
import { hashSecret } from '../keys/key-text.ts';
import type { Principal } from '../keys/principal.ts';
import type { Db } from '../tables.ts';

const TOKEN_BYTES = 32;
const SESSION_MS = 14 * 24 * 3_600_000;
/** Short, because a sign-in link is meant to be clicked at once. */
const LINK_MS = 15 * 60_000;

/** A new token; its text is available only here. */
export interface IssuedToken {
  token: string;
  expiresAt: Date;
}

/** Prefix of a session's id where a key's id would be. */
export const SESSION_KEY = 'session:';
/** Precision of when a session was last seen, the same as for keys. */
const SEEN_SECONDS = 60;
/** How much of the browser's user agent is stored. */
const BROWSER_MAX = 300;

/** A valid session and its person. */
export interface SessionRecord {
  id: string;
  role: Role;
  userId: string;
  displayName: string;
  email: string | null;
  teamId: string;
  teamName: string;
  /** The space of this person's own runs, once there is one. */
  ownSpace: string | null;
  expiresAt: Date;
  /** Expiry of the pasted key; null if it does not expire or no key was pasted. */
  keyEndsAt: Date | null;
}

interface Person {
  userId: string;
  teamId: string;
  keyId?: string;
}

/** How somebody signs in, and with which browser. */
export interface SignInBy {
  via: SignIn['via'];
  browser?: string | undefined;
}

/** Signs a person in, and deletes expired sessions. */
export async function createSession(
  db: Db,
  person: Person,
  by: SignInBy,
  until?: Date,
): Promise<IssuedToken> {
  const issued = issue(SESSION_MS);
  if (until) issued.expiresAt = until;
  await together(db, async (trx) => {
    await trx
      .deleteFrom('sessions')
      .where('expires_at', '<', sql<Date>`now()`)
      .execute();
    const { id } = await trx
      .insertInto('sessions')
      .values({
        token_hash: hashSecret(issued.token),
        user_id: person.userId,
        team_id: person.teamId,
        key_id: person.keyId ?? null,
        expires_at: issued.expiresAt,
        via: by.via,
        browser: by.browser?.slice(0, BROWSER_MAX).toWellFormed() ?? null,
        address: callerAddress(),
        last_seen_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await note(trx, person, 'sign_in.begun', id, { via: by.via });
  });
  return issued;
}

async function note(
  trx: Db,
  { userId, teamId }: Person,
  action: 'sign_in.begun' | 'sign_in.ended',
  id: string,
  details: Record<string, string> = {},
): Promise<void> {
  const { display_name: name } = await trx
    .selectFrom('users')
    .where('id', '=', userId)
    .select('display_name')
    .executeTakeFirstOrThrow();
  const object = { type: 'sign_in', id, name } as const;
  await recordAudit(trx, personActor(userId, name), { teamId, action, object, details });
}

/** Creates a token for a link that signs this person in once, within a quarter of an hour. */
export async function createSignInLink(db: Db, person: Person): Promise<IssuedToken> {
  const issued = issue(LINK_MS);
  await db
    .deleteFrom('sign_in_links')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute();
  await db
    .insertInto('sign_in_links')
    .values({
      token_hash: hashSecret(issued.token),
      user_id: person.userId,
      team_id: person.teamId,
      expires_at: issued.expiresAt,
    })
    .execute();
  return issued;
}

/** Exchanges a link's token for a session; undefined if it is unknown, used or expired. */
export async function redeemSignInLink(
  db: Db,
  token: string,
  browser?: string,
): Promise<IssuedToken | undefined> {
  return db.transaction().execute(async (trx) => {
    const link = await trx
      .deleteFrom('sign_in_links')
      .where('token_hash', '=', hashSecret(token))
      .where('expires_at', '>', sql<Date>`now()`)
      .returning(['user_id', 'team_id'])
      .executeTakeFirst();
    if (!link) return undefined;
    const person = { userId: link.user_id, teamId: link.team_id };
    return createSession(trx, person, { via: 'link', browser });
  });
}

/**
 * The session of a token; undefined if it has expired, its person has left the team, or its key is
 * no longer valid.
 */
export async function findSession(db: Db, token: string): Promise<SessionRecord | undefined> {
  const found = await db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .innerJoin('teams as t', 't.id', 's.team_id')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.user_id', '=', 's.user_id').onRef('m.team_id', '=', 's.team_id'),
    )
    .leftJoin('spaces as o', (join) =>
      join.onRef('o.user_id', '=', 's.user_id').onRef('o.team_id', '=', 's.team_id'),
    )
    .leftJoin('api_keys as k', 'k.id', 's.key_id')
    .where('s.token_hash', '=', hashSecret(token))
    .where('s.expires_at', '>', sql<Date>`now()`)
    .where('k.revoked_at', 'is', null)
    .where((k) => k.or([k('k.expires_at', 'is', null), k('k.expires_at', '>', sql<Date>`now()`)]))
    .select([
      'u.id as userId',
      'u.display_name as displayName',
      'u.email',
      't.id as teamId',
      't.name as teamName',
      'o.id as ownSpace',
      's.expires_at as expiresAt',
      'k.expires_at as keyEndsAt',
      's.id',
      's.last_seen_at as seenAt',
      'm.role',
    ])
    .executeTakeFirst();
  if (!found) return undefined;
  const { seenAt, ...session } = found;
  if (Date.now() - (seenAt?.getTime() ?? 0) > SEEN_SECONDS * 1000)
    await db
      .updateTable('sessions')
      .set({ last_seen_at: new Date() })
      .where('id', '=', session.id)
      .execute();
  return session;
}

export async function endSession(db: Db, token: string): Promise<void> {
  await together(db, async (trx) => {
    const ended = await trx
      .deleteFrom('sessions')
      .where('token_hash', '=', hashSecret(token))
      .returning(['id', 'user_id as userId', 'team_id as teamId'])
      .executeTakeFirst();
    if (ended) await note(trx, ended, 'sign_in.ended', ended.id);
  });
}

/** A team of a person, with their role. */
export interface OwnTeam {
  id: string;
  name: string;
  role: Role;
}

/**
 * The teams of a session's person, by name; empty for a session that was made with a key, which
 * belongs to one team.
 */
export function teamsOf(db: Db, sessionId: string): Promise<OwnTeam[]> {
  return db
    .selectFrom('sessions as s')
    .innerJoin('memberships as m', 'm.user_id', 's.user_id')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .where('s.id', '=', sessionId)
    .where('s.key_id', 'is', null)
    .select(['t.id', 't.name', 'm.role'])
    .orderBy('t.name')
    .execute();
}

/**
 * Ends a session and starts one in another team of its person; undefined if there is no such team.
 */
export function switchTeam(
  db: Db,
  token: string,
  teamId: string,
): Promise<IssuedToken | undefined> {
  return db.transaction().execute(async (trx) => {
    const old = await trx
      .selectFrom('sessions')
      .where('token_hash', '=', hashSecret(token))
      .where('expires_at', '>', sql<Date>`now()`)
      .select(['id', 'user_id as userId', 'expires_at', 'via', 'browser'])
      .executeTakeFirst();
    if (!old || !(await teamsOf(trx, old.id)).some(({ id }) => id === teamId)) return undefined;
    await endSession(trx, token);
    const by = { via: old.via ?? 'link', browser: old.browser ?? undefined };
    return createSession(trx, { userId: old.userId, teamId }, by, old.expires_at);
  });
}

/** The principal for a session: the person, as with a personal key. */
export function sessionPrincipal(
  session: Pick<
    SessionRecord,
    'id' | 'role' | 'userId' | 'teamId' | 'displayName' | 'ownSpace' | 'keyEndsAt'
  > & {
    email?: string | null | undefined;
  },
): Principal {
  return {
    kind: 'personal',
    keyId: SESSION_KEY + session.id,
    role: session.role,
    teamId: session.teamId,
    ownSpace: session.ownSpace ?? undefined,
    uid: session.userId,
    profile: {
      type: 'user',
      uid: session.userId,
      display_name: session.displayName,
      ...(session.email ? { email: session.email } : {}),
    },
    runId: undefined,
    endsAt: session.keyEndsAt,
  };
}

function issue(livesMs: number): IssuedToken {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, expiresAt: new Date(Date.now() + livesMs) };
}
