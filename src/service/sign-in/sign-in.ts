import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { githubOrigin } from '../../contract/github-origin.ts';
import { RunlinkError, errorMessage } from '../../base/error.ts';
import type { SignInEntry } from '../../config/sign-in.ts';
import { GITHUB_CALLBACK_PATH } from '../../contract/people.ts';
import { mayAs, type Role } from '../../contract/role.ts';
import { noteRefusedSignIn } from '../audit/note-refused.ts';
import { SERVICE } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import { ensureTeam } from '../keys/manage-keys.ts';
import { giveRole, lockPeople, takeOut } from '../people/members.ts';
import { createSession, type IssuedToken } from '../sessions/sessions.ts';
import type { Db } from '../tables.ts';
import { createMembershipReader, signInCredentials, whoIs, type Account } from './github.ts';

const NOWHERE =
  'Your account is in none of the organisations and teams that may sign in here. Ask whoever runs this service.';
const REMOVED = 'An owner removed you from the team. Ask them to let you back in.';

/** Sign-in with GitHub, for one browser. */
export interface GithubSignIn {
  /** Starts a sign-in: what the browser keeps, and where it goes. */
  begin(): { state: string; verifier: string; url: string };
  /** Signs in the person that GitHub names. Throws a RunlinkError with a message for them. */
  finish(code: string, verifier: string, browser?: string): Promise<IssuedToken>;
}

const secret = (): string => randomBytes(32).toString('base64url');

/** Undefined if the operator has not configured it. */
export function createGithubSignIn(context: ServiceContext): GithubSignIn | undefined {
  const credentials = signInCredentials(context);
  if (!credentials) return undefined;
  const { github, sign_in } = context.config;
  const read = createMembershipReader(github, credentials);
  const redirectUri = (): string => context.publicUrl() + GITHUB_CALLBACK_PATH;
  return {
    begin() {
      const [state, verifier] = [secret(), secret()];
      const url = new URL(`${githubOrigin(github.api_url)}/login/oauth/authorize`);
      url.search = new URLSearchParams({
        client_id: credentials.clientId,
        redirect_uri: redirectUri(),
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString();
      return { state, verifier, url: url.href };
    },
    async finish(code, verifier, browser) {
      const who = await whoIs(github, credentials, { code, verifier, redirectUri: redirectUri() });
      const entries = await read(who, sign_in);
      try {
        return await context.db.transaction().execute(async (trx) => {
          const userId = await ensureAccount(trx, who);
          const [teamId] = await applyRoles(trx, { ...who, userId }, entries);
          if (teamId === undefined)
            throw new RunlinkError('sign_in_refused', entries.length > 0 ? REMOVED : NOWHERE);
          return createSession(trx, { userId, teamId }, { via: 'github', browser });
        });
      } catch (error) {
        if (error instanceof RunlinkError && error.code === 'sign_in_refused')
          await noteRefusedSignIn(context.db, 'github', who.login);
        throw error;
      }
    },
  };
}

/**
 * Finds or creates the person of an account, by its number: a login may belong to somebody else by
 * now.
 */
async function ensureAccount(trx: Db, { id: github_id, login, name }: Account): Promise<string> {
  const email = `${github_id}+${login}@users.noreply.github.com`;
  const shown = { display_name: name.slice(0, 200), github_login: login, email };
  const known = await trx
    .selectFrom('github_accounts')
    .where('github_id', '=', github_id)
    .select('user_id')
    .executeTakeFirst();
  if (known) {
    await trx.updateTable('users').set(shown).where('id', '=', known.user_id).execute();
    return known.user_id;
  }
  const { id } = await trx
    .insertInto('users')
    .values({ id: randomUUID(), name: `github:${github_id}`, created_at: new Date(), ...shown })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(shown))
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('github_accounts')
    .values({ github_id, user_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return id;
}

/**
 * Updates somebody's teams to what GitHub says; returns the teams they are in, in the order of the
 * entries.
 */
async function applyRoles(
  trx: Db,
  { userId: uid, name }: Account & { userId: string },
  entries: readonly SignInEntry[],
): Promise<string[]> {
  const roles = new Map<string, Role>();
  for (const { team, role } of entries) {
    const known = roles.get(team);
    roles.set(team, known && mayAs(known, role) ? known : role);
  }
  const kept: string[] = [];
  for (const [team, role] of roles) {
    const teamId = await ensureTeam(trx, team);
    await lockPeople(trx, teamId);
    if (await isRemoved(trx, teamId, uid)) continue;
    await giveRole(trx, SERVICE, { teamId, uid, name }, { role, from_github: true });
    kept.push(teamId);
  }
  const others = await trx
    .selectFrom('memberships')
    .where('user_id', '=', uid)
    .where('from_github', '=', true)
    .$if(kept.length > 0, (q) => q.where('team_id', 'not in', kept))
    .select('team_id')
    .execute();
  for (const { team_id: teamId } of others)
    await takeOut(trx, SERVICE, { teamId, uid, name }, { via: 'GitHub' });
  return kept;
}

async function isRemoved(trx: Db, teamId: string, uid: string): Promise<boolean> {
  const found = await trx
    .selectFrom('removed_members')
    .where('team_id', '=', teamId)
    .where('user_id', '=', uid)
    .select('user_id')
    .executeTakeFirst();
  return found !== undefined;
}

const HOUR_MS = 3_600_000;
/** A membership that GitHub has not confirmed for this long ends. */
const UNCONFIRMED_MS = 24 * HOUR_MS;
const BATCH = 20;

/**
 * Asks GitHub every hour whether people who signed in with it still belong; those who do not lose
 * their sign-ins and keys.
 */
export async function checkMemberships(context: ServiceContext): Promise<void> {
  const { db, config, log } = context;
  const due = await db
    .updateTable('memberships')
    .set({ asked_at: new Date() })
    .where('user_id', 'in', (of) =>
      of
        .selectFrom('memberships')
        .where('from_github', '=', true)
        .where((it) =>
          it.or([it('asked_at', 'is', null), it('asked_at', '<', new Date(Date.now() - HOUR_MS))]),
        )
        .select('user_id')
        .limit(BATCH),
    )
    .where('from_github', '=', true)
    .returning(['user_id', 'checked_at'])
    .execute();
  if (due.length === 0) return;
  const credentials = signInCredentials(context);
  const read = credentials && createMembershipReader(config.github, credentials);
  const people = new Map(due.map((row) => [row.user_id, row.checked_at]));
  for (const [userId, checkedAt] of people) {
    const who = await accountOf(db, userId);
    if (!who) continue;
    try {
      const entries = read ? await read(who, config.sign_in) : [];
      await db.transaction().execute((trx) => applyRoles(trx, { ...who, userId }, entries));
    } catch (error) {
      log.warn(
        { user: userId, reason: errorMessage(error) },
        'a membership could not be checked with GitHub',
      );
      if (Date.now() - (checkedAt?.getTime() ?? 0) > UNCONFIRMED_MS)
        await db.transaction().execute((trx) => applyRoles(trx, { ...who, userId }, []));
    }
  }
}

async function accountOf(db: Db, userId: string): Promise<Account | undefined> {
  const found = await db
    .selectFrom('github_accounts as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .where('a.user_id', '=', userId)
    .select(['a.github_id', 'u.github_login', 'u.display_name'])
    .executeTakeFirst();
  return (
    found && {
      id: found.github_id,
      login: found.github_login ?? '',
      name: found.display_name,
    }
  );
}
