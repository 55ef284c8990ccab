import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { pemText } from '../../base/pem.ts';
import { retry } from '../../base/retry.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { Lease, LeaseRepository } from '../../contract/lease.ts';
import { QUIET } from './quiet-octokit.ts';

type Repository = Pick<LeaseRepository, 'owner' | 'name'>;
type LeaseGit = NonNullable<Lease['git']>;

/** Who gets the token, and for what. */
interface GrantedTo {
  builtIn: boolean;
  readsOnly?: boolean;
}

/** Gives a lease's worker the means to push to a repository and open a pull request there. */
export interface GitAccess {
  /**
   * With an App: a short-lived token for these repositories only. A configured token opens more, so
   * only the built-in worker gets it (threats.md S18). With `readsOnly` the App's token can only
   * read. Never rejects: without a token a worker still works, or uses its own.
   */
  grant(repositories: readonly Repository[], to: GrantedTo): Promise<LeaseGit>;
}

/** GitHub's no-reply address, for when we do not know the App's bot. */
const FALLBACK_AUTHOR = { name: 'runlink', email: 'runlink@users.noreply.github.com' };
/**
 * Two tries for the token and one for the author. They are part of the answer to a claim, which
 * must be acknowledged within ten seconds (run-lifecycle.md, "Leases").
 */
const TRIES = 2;
const TRY_WITHIN_MS = 2000;

interface AppCredentials {
  appId: string;
  privateKey: string;
}

/** Uses the operator's GitHub App; otherwise a configured token; otherwise no token. */
export function createGitAccess(
  github: OperatorConfig['github'],
  variables: Record<string, string | undefined>,
  log: Log,
): GitAccess {
  const credentials = appCredentials(github, variables);
  if (credentials) return appAccess(github.api_url, credentials, log);
  const token = variables[github.token_variable];
  return {
    grant: async (_, { builtIn }) => ({
      api_url: github.api_url,
      author: FALLBACK_AUTHOR,
      ...(token && builtIn ? { token } : {}),
    }),
  };
}

function appCredentials(
  github: OperatorConfig['github'],
  variables: Record<string, string | undefined>,
): AppCredentials | undefined {
  const appId = variables[github.app_id_variable];
  const privateKey = variables[github.private_key_variable];
  if (!appId || !privateKey) return undefined;
  return { appId, privateKey: pemText(privateKey) };
}

/** Whether GitHub refused the request itself, so that a retry cannot help. */
function isFinal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 && status !== 429;
}

/** Retries if there is no answer in time. */
function retried<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return retry(() => ask(AbortSignal.timeout(TRY_WITHIN_MS)), {
    pauseMs: (error, tries) => (tries >= TRIES || isFinal(error) ? undefined : 0),
  });
}

/** The App's bot as the author of commits. */
async function botAuthor(
  app: Octokit,
  reader: Octokit,
  signal: AbortSignal,
): Promise<LeaseGit['author']> {
  const { data } = await app.rest.apps.getAuthenticated({ request: { signal } });
  if (!data?.slug) return FALLBACK_AUTHOR;
  const login = `${data.slug}[bot]`;
  const { data: user } = await reader.rest.users.getByUsername({
    username: login,
    request: { signal },
  });
  return { name: login, email: `${user.id}+${login}@users.noreply.github.com` };
}

async function installationToken(
  app: Octokit,
  repositories: readonly Repository[],
  readsOnly: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [first] = repositories;
  if (!first) return undefined;
  const { data: installation } = await app.rest.apps.getRepoInstallation({
    owner: first.owner,
    repo: first.name,
    request: { signal },
  });
  // A permission that an owner may grant in addition (app.yml).
  const workflows = installation.permissions?.workflows;
  const writes = {
    contents: 'write',
    pull_requests: 'write',
    ...(workflows && { workflows }),
  } as const;
  const { data } = await app.rest.apps.createInstallationAccessToken({
    installation_id: installation.id,
    repositories: repositories.filter(({ owner }) => owner === first.owner).map(({ name }) => name),
    permissions: readsOnly ? { contents: 'read' } : writes,
    request: { signal },
  });
  return data.token;
}

function appAccess(api_url: string, credentials: AppCredentials, log: Log): GitAccess {
  const base = { baseUrl: api_url, log: QUIET };
  const app = new Octokit({ ...base, authStrategy: createAppAuth, auth: credentials });
  let author: LeaseGit['author'] | undefined;
  async function tokenFor(repositories: readonly Repository[], readsOnly: boolean) {
    try {
      return await retried((signal) => installationToken(app, repositories, readsOnly, signal));
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'GitHub gave no token for pushing');
      return undefined;
    }
  }
  async function authorBy(token: string | undefined): Promise<LeaseGit['author']> {
    // An App's JSON web token is valid only for the routes under /app.
    const reader = new Octokit({ ...base, ...(token && { auth: token }) });
    try {
      return (author = await botAuthor(app, reader, AbortSignal.timeout(TRY_WITHIN_MS)));
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'the App’s bot could not be read from GitHub');
      return FALLBACK_AUTHOR;
    }
  }
  return {
    async grant(repositories, { readsOnly = false }) {
      const token = await tokenFor(repositories, readsOnly);
      const by = author ?? (await authorBy(token));
      return { api_url, author: by, ...(token === undefined ? {} : { token }) };
    },
  };
}
