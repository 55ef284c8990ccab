import { ProblemError } from '../../contract/problem.ts';
import { isDatabaseUnavailable } from '../../database/failure.ts';
import { RunlinkError, errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import type { GithubWay, Guest, PagesBackend, Session } from '../../pages/backend.ts';
import type { Service } from '../../service/create-service.ts';
import { noteRefusedSignIn } from '../../service/audit/note-refused.ts';
import { authenticate } from '../../service/keys/authenticate.ts';
import { decideLogin, findLogin } from '../../service/keys/login-requests.ts';
import { isOfTeam } from '../../service/keys/principal.ts';
import { guestOf } from '../../service/runs/sharing.ts';
import { createGithubSignIn, type GithubSignIn } from '../../service/sign-in/sign-in.ts';
import {
  createSession,
  endSession,
  findSession,
  redeemSignInLink,
  sessionPrincipal,
  switchTeam,
  teamsOf,
} from '../../service/sessions/sessions.ts';

const GITHUB_AWAY = 'GitHub could not say who you are. Try again, or sign in with a key.';

/** The service in this process, as the pages use it. */
export function createPagesBackend(
  service: Service,
  { publicUrl, log, closing }: Pick<PagesBackend, 'publicUrl' | 'log' | 'closing'>,
): PagesBackend {
  const { db } = service.context;
  const github = createGithubSignIn(service.context);
  return {
    publicUrl,
    log,
    closing,
    ...(github && { github: githubWay(github, log) }),
    sessions: {
      async createFromKey(rawKey, browser) {
        const principal = await orUnavailable(authenticate(service.context, rawKey));
        if (principal?.kind !== 'personal' || !isOfTeam(principal)) {
          await orUnavailable(noteRefusedSignIn(db, 'key'));
          return null;
        }
        const { uid: userId, teamId, keyId } = principal;
        return createSession(db, { userId, teamId, keyId }, { via: 'key', browser });
      },
      async createFromLink(token, browser) {
        const session = await orUnavailable(redeemSignInLink(db, token, browser));
        if (!session) await orUnavailable(noteRefusedSignIn(db, 'link'));
        return session ?? null;
      },
      find: (token) => orUnavailable(sessionOf(service, token)),
      end: (token) => endSession(db, token),
      teams: ({ id }) => orUnavailable(teamsOf(db, id)),
      switchTeam: async (token, teamUid) =>
        (await orUnavailable(switchTeam(db, token, teamUid))) ?? null,
    },
    logins: {
      find: async (code) => (await findLogin(db, code)) ?? null,
      decide: ({ userUid: userId, teamUid: teamId, keyEndsAt, displayName }, code, approve) =>
        decideLogin(db, code, { userId, displayName, teamId, keyEndsAt }, approve),
    },
    publicLinks: service.context.config.public_links,
    guest: async (sharedRun) =>
      (await orUnavailable(guestOf(service.context, sharedRun))) ? { sharedRun } : null,
    async api(request, reader) {
      if ('sharedRun' in reader) return asGuest(service, request, reader);
      const { userUid: userId, teamUid: teamId, ...rest } = reader;
      return service.fetchAs(request, sessionPrincipal({ userId, teamId, ...rest }));
    },
  };
}

async function sessionOf(service: Service, token: string): Promise<Session | null> {
  const found = await findSession(service.context.db, token);
  if (!found) return null;
  const { userId: userUid, teamId: teamUid, email, ...rest } = found;
  return { ...rest, userUid, teamUid, ...(email ? { email } : {}) };
}

/**
 * Turns a database that is away into an answer that asks the reader to come back; other errors
 * stay.
 */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    throw new ProblemError('service_unavailable', { cause: error });
  }
}

/** Checked anew for each request, so that a link stops working as soon as sharing ends. */
async function asGuest(service: Service, request: Request, { sharedRun }: Guest) {
  const guest = await orUnavailable(guestOf(service.context, sharedRun));
  if (!guest) throw new ProblemError('resource_not_found');
  return service.fetchAs(request, guest);
}

/** Shows GitHub's errors on the page; they are not logged as faults of ours. */
function githubWay(github: GithubSignIn, log: Log): GithubWay {
  return {
    begin: () => github.begin(),
    async finish(code, verifier, browser) {
      try {
        return await orUnavailable(github.finish(code, verifier, browser));
      } catch (error) {
        if (error instanceof ProblemError) throw error;
        log.warn({ reason: errorMessage(error) }, 'a sign-in with GitHub failed');
        const isSaid = error instanceof RunlinkError && error.code === 'sign_in_refused';
        return { refusal: isSaid ? error.message : GITHUB_AWAY };
      }
    },
  };
}
