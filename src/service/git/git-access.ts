import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import type { OperatorConfig } from '../../contract/operator-config.ts';
import type { Lease } from '../../contract/lease.ts';

type LeaseGit = NonNullable<Lease['git']>;

/** How a lease's worker may push to a repository and open a pull request there. */
export interface GitAccess {
  /** A short-lived token for the repositories; never rejects: without one the worker still works. */
  grant(repositories: readonly { owner: string; name: string }[]): Promise<LeaseGit>;
}

/** GitHub's own no-reply author, where nothing says who we are. */
const FALLBACK_AUTHOR = { name: 'runlink', email: 'runlink@users.noreply.github.com' };
const ASK_WITHIN_MS = 10_000;

interface AppCredentials {
  appId: string;
  privateKey: string;
}

function appCredentials(
  github: OperatorConfig['github'],
  variables: Record<string, string | undefined>,
): AppCredentials | undefined {
  const appId = variables[github.app_id_variable];
  const privateKey = variables[github.private_key_variable];
  if (!appId || !privateKey) return undefined;
  return { appId, privateKey: privateKey.replaceAll(String.raw`\n`, '\n') };
}

function bounded() {
  return { request: { signal: AbortSignal.timeout(ASK_WITHIN_MS) } };
}

/** The App's bot as the author of commits. */
async function botAuthor(app: Octokit, reader: Octokit): Promise<LeaseGit['author']> {
  const { data } = await app.request('GET /app', bounded());
  if (!data?.slug) return FALLBACK_AUTHOR;
  const login = `${data.slug}[bot]`;
  const { data: user } = await reader.request('GET /users/{username}', {
    username: login,
    ...bounded(),
  });
  return { name: login, email: `${user.id}+${login}@users.noreply.github.com` };
}

async function installationToken(
  app: Octokit,
  repositories: readonly { owner: string; name: string }[],
): Promise<string | undefined> {
  const [first] = repositories;
  if (!first) return undefined;
  const { data: installation } = await app.request('GET /repos/{owner}/{repo}/installation', {
    owner: first.owner,
    repo: first.name,
    ...bounded(),
  });
  const { data } = await app.request('POST /app/installations/{installation_id}/access_tokens', {
    installation_id: installation.id,
    repositories: repositories.filter(({ owner }) => owner === first.owner).map(({ name }) => name),
    permissions: { contents: 'write', pull_requests: 'write' },
    ...bounded(),
  });
  return data.token;
}

function appAccess(api_url: string, credentials: AppCredentials, log: Log): GitAccess {
  const app = new Octokit({ baseUrl: api_url, authStrategy: createAppAuth, auth: credentials });
  let author: LeaseGit['author'] | undefined;
  return {
    async grant(repositories) {
      try {
        const token = await installationToken(app, repositories);
        // An App's own JSON web token opens only the routes under /app.
        const reader = new Octokit({ baseUrl: api_url, ...(token && { auth: token }) });
        author ??= await botAuthor(app, reader);
        return { api_url, author, ...(token === undefined ? {} : { token }) };
      } catch (error) {
        log.warn({ reason: errorMessage(error) }, 'no token for pushing could be had from GitHub');
        return { api_url, author: author ?? FALLBACK_AUTHOR };
      }
    },
  };
}

/** By the operator's GitHub App, else by a configured token, else without any. */
export function createGitAccess(
  github: OperatorConfig['github'],
  variables: Record<string, string | undefined>,
  log: Log,
): GitAccess {
  const credentials = appCredentials(github, variables);
  if (credentials) return appAccess(github.api_url, credentials, log);
  const token = variables[github.token_variable];
  return {
    grant: async () => ({
      api_url: github.api_url,
      author: FALLBACK_AUTHOR,
      ...(token ? { token } : {}),
    }),
  };
}
