import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { z } from 'zod';
import { githubOrigin } from '../../contract/github-origin.ts';
import { RunlinkError } from '../../base/error.ts';
import { pemText } from '../../base/pem.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { SignInEntry } from '../../config/sign-in.ts';
import type { ServiceContext } from '../context.ts';
import { QUIET } from '../git/quiet-octokit.ts';

const WITHIN_MS = 10_000;

/**
 * A GitHub account. Its number stays the same; its login may be renamed and reused by somebody
 * else.
 */
export interface Account {
  id: string;
  login: string;
  name: string;
}

const account = z
  .object({ id: z.int(), login: z.string().min(1), name: z.string().nullish() })
  .transform(({ id, login, name }): Account => ({ id: String(id), login, name: name || login }));
const tokenAnswer = z.object({ access_token: z.string().min(1) });
const organisation = z.object({ id: z.int(), login: z.string() });
const membership = z.object({ state: z.string(), user: z.object({ id: z.int() }).nullable() });
const teamMembership = z.object({ state: z.string() });

export interface SignInCredentials {
  appId: string;
  privateKey: string;
  clientId: string;
  clientSecret: string;
}

/** Undefined if sign-in with GitHub is not configured. */
export function signInCredentials({
  config: { github, sign_in },
  variables,
}: Pick<ServiceContext, 'config' | 'variables'>): SignInCredentials | undefined {
  const [appId, privateKey, clientId, clientSecret] = [
    github.app_id_variable,
    github.private_key_variable,
    github.client_id_variable,
    github.client_secret_variable,
  ].map((name) => variables[name]);
  if (sign_in.length === 0 || !appId || !privateKey || !clientId || !clientSecret) return undefined;
  return { appId, privateKey: pemText(privateKey), clientId, clientSecret };
}

/** Exchanges a code for the person's account. The token is used for this only and then dropped. */
export async function whoIs(
  github: OperatorConfig['github'],
  { clientId: client_id, clientSecret: client_secret }: SignInCredentials,
  given: { code: string; verifier: string; redirectUri: string },
): Promise<Account> {
  const { code, verifier: code_verifier, redirectUri: redirect_uri } = given;
  const answer = await fetch(`${githubOrigin(github.api_url)}/login/oauth/access_token`, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(WITHIN_MS),
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ client_id, client_secret, code, code_verifier, redirect_uri }),
  });
  const token = tokenAnswer.safeParse(await answer.json());
  if (!token.success)
    throw new RunlinkError('sign_in_refused', 'GitHub does not take this answer any more.');
  const octokit = new Octokit({
    baseUrl: github.api_url,
    auth: token.data.access_token,
    log: QUIET,
  });
  const { data } = await octokit.rest.users.getAuthenticated({ request: signal() });
  return account.parse(data);
}

const signal = () => ({ signal: AbortSignal.timeout(WITHIN_MS) });

/** The answer; undefined if GitHub answers 404. */
async function orNothing<T>(asked: Promise<{ data: unknown }>, shape: z.ZodType<T>) {
  try {
    const { data } = await asked;
    return shape.parse(data);
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
    throw error;
  }
}

/** Asks GitHub, as the App, which entries a person belongs to. Throws if GitHub cannot say. */
export function createMembershipReader(
  github: OperatorConfig['github'],
  { appId, privateKey }: SignInCredentials,
): (account: Account, entries: readonly SignInEntry[]) => Promise<SignInEntry[]> {
  const base = { baseUrl: github.api_url, authStrategy: createAppAuth, log: QUIET };
  const app = new Octokit({ ...base, auth: { appId, privateKey } });

  /** The organisation's installation, found by number because its name may have changed. */
  async function installationOf(organizationId: string) {
    const all = await app.paginate(app.rest.apps.listInstallations, { request: signal() });
    for (const { id, account: owner } of all) {
      const found = organisation.safeParse(owner);
      if (!found.success || String(found.data.id) !== organizationId) continue;
      const octokit = new Octokit({ ...base, auth: { appId, privateKey, installationId: id } });
      return { org: found.data.login, octokit };
    }
    throw new RunlinkError(
      'no_installation',
      `The App is not installed in the organisation ${organizationId}, which sign_in names.`,
    );
  }

  async function belongs(who: Account, entry: SignInEntry): Promise<boolean> {
    const { org, octokit } = await installationOf(entry.organization_id);
    const isNamed = async (username: string): Promise<boolean> => {
      const asked = octokit.rest.orgs.getMembershipForUser({ org, username, request: signal() });
      const found = await orNothing(asked, membership);
      return found?.state === 'active' && String(found.user?.id) === who.id;
    };
    let username = who.login;
    if (!(await isNamed(username))) {
      const asked = octokit.request('GET /user/{account_id}', {
        account_id: Number(who.id),
        request: signal(),
      });
      const renamed = (await orNothing(asked, account))?.login;
      if (renamed === undefined || renamed === username || !(await isNamed(renamed))) return false;
      username = renamed;
    }
    if (entry.github_team === undefined) return true;
    const team_slug = entry.github_team;
    const asked = octokit.rest.teams.getMembershipForUserInOrg({
      org,
      team_slug,
      username,
      request: signal(),
    });
    return (await orNothing(asked, teamMembership))?.state === 'active';
  }

  return async (who, entries) => {
    const found: SignInEntry[] = [];
    for (const entry of entries) if (await belongs(who, entry)) found.push(entry);
    return found;
  };
}
