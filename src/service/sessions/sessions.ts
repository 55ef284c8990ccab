import { createHash, randomBytes } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Principal } from '../keys/principal.ts';
import type { ServiceTables } from '../tables.ts';

type Db = Kysely<ServiceTables>;

const TOKEN_BYTES = 32;
const SESSION_MS = 14 * 24 * 3_600_000;
/** A sign-in link is meant to be clicked now. */
const LINK_MS = 15 * 60_000;

/** A secret at its only showing. */
export interface IssuedToken {
  token: string;
  expiresAt: Date;
}

/** Whom a living session speaks for. */
export interface SessionRecord {
  userId: string;
  displayName: string;
  email: string | null;
  teamId: string;
  teamName: string;
  /** Where this person's own runs are, once there was one. */
  ownSpace: string | null;
  expiresAt: Date;
  /** When the key that was pasted is over; null for one that never is, or where none was. */
  keyEndsAt: Date | null;
}

interface Person {
  userId: string;
  teamId: string;
  keyId?: string;
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function issue(livesMs: number): IssuedToken {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, expiresAt: new Date(Date.now() + livesMs) };
}

/** Signs a person in; what has expired is cleared on the way. */
export async function createSession(db: Db, person: Person): Promise<IssuedToken> {
  const issued = issue(SESSION_MS);
  await db
    .deleteFrom('sessions')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute();
  await db
    .insertInto('sessions')
    .values({
      token_hash: hashToken(issued.token),
      user_id: person.userId,
      team_id: person.teamId,
      key_id: person.keyId ?? null,
      expires_at: issued.expiresAt,
    })
    .execute();
  return issued;
}

/** Makes a link's token that signs this person in once, within a quarter of an hour. */
export async function createSignInLink(db: Db, person: Person): Promise<IssuedToken> {
  const issued = issue(LINK_MS);
  await db
    .deleteFrom('sign_in_links')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute();
  await db
    .insertInto('sign_in_links')
    .values({
      token_hash: hashToken(issued.token),
      user_id: person.userId,
      team_id: person.teamId,
      expires_at: issued.expiresAt,
    })
    .execute();
  return issued;
}

/** Trades a link's token for a session; nothing for one that is unknown, used or too old. */
export async function redeemSignInLink(db: Db, token: string): Promise<IssuedToken | undefined> {
  return db.transaction().execute(async (trx) => {
    const link = await trx
      .deleteFrom('sign_in_links')
      .where('token_hash', '=', hashToken(token))
      .where('expires_at', '>', sql<Date>`now()`)
      .returning(['user_id', 'team_id'])
      .executeTakeFirst();
    return link && createSession(trx, { userId: link.user_id, teamId: link.team_id });
  });
}

/** The session of a token, while it lives, its person is in the team and its key works. */
export async function findSession(db: Db, token: string): Promise<SessionRecord | undefined> {
  return db
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
    .where('s.token_hash', '=', hashToken(token))
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
    ])
    .executeTakeFirst();
}

export async function endSession(db: Db, token: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', hashToken(token)).execute();
}

/** Who a session is to the endpoints: the person, as with a personal key of theirs. */
export function sessionPrincipal(
  session: Pick<SessionRecord, 'userId' | 'teamId' | 'displayName' | 'ownSpace' | 'keyEndsAt'> & {
    email?: string | null | undefined;
  },
): Principal {
  return {
    kind: 'personal',
    keyId: `session:${session.teamId}:${session.userId}`,
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
