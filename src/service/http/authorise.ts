import { isKeyed, leastRole, type Endpoint, type KeyKind } from '../../contract/endpoint.ts';
import { ProblemError } from '../../contract/problem.ts';
import { mayAs } from '../../contract/role.ts';
import type { Principal } from '../keys/principal.ts';

/** Returns the caller, if they may use the endpoint. Throws ProblemError if not. */
export async function authorise(
  endpoint: Endpoint,
  request: Request,
  params: Record<string, string>,
  session: Principal | undefined,
  authenticate: (rawKey: string) => Promise<Principal | undefined>,
): Promise<Principal | undefined> {
  if (!isKeyed(endpoint)) return undefined;
  const principal = session ?? (await principalOf(request, authenticate));
  if (!principal) {
    if (endpoint.callers.includes('anyone')) return undefined;
    throw new ProblemError('authentication_required');
  }
  checkKind(endpoint, principal);
  checkRole(endpoint, principal);
  checkTeam(request, principal);
  checkRunScope(endpoint, principal, params['runId']);
  return principal;
}

const BEARER = /^Bearer +(\S.*)$/i;
/** A person's client names the active team in this header (interface.md 5.2). */
const TEAM_HEADER = 'X-Warp-Team-Uid';
const KEY_NAMES: Record<KeyKind, string> = {
  personal: 'a personal key',
  agent: 'an agent key',
  workflow: 'a workflow’s key',
  worker: 'a worker key',
  run: 'a run’s own key',
};

async function principalOf(
  request: Request,
  authenticate: (rawKey: string) => Promise<Principal | undefined>,
): Promise<Principal | undefined> {
  const header = request.headers.get('authorization');
  if (header === null) return undefined;
  const key = BEARER.exec(header.trim())?.[1];
  const principal = key === undefined ? undefined : await authenticate(key);
  if (!principal) throw new ProblemError('authentication_required');
  return principal;
}

/** Only kinds of keys that the endpoint lists may call it (threats.md S3, S18). */
function checkKind({ callers }: Endpoint, { kind }: Principal): void {
  if (callers.includes(kind)) return;
  const allowed = callers.flatMap((caller) => (caller === 'anyone' ? [] : KEY_NAMES[caller]));
  throw new ProblemError('not_authorized', {
    detail: `This needs ${allowed.join(' or ')}, not ${KEY_NAMES[kind]}.`,
  });
}

/**
 * Checks the role in the team (interface.md 4.11). Agents and workers have no role and count as
 * members.
 */
function checkRole(endpoint: Endpoint, { role = 'member' }: Principal): void {
  const least = leastRole(endpoint);
  if (mayAs(role, least)) return;
  const detail =
    role === 'reader' ? 'This key may only read.' : `This needs the role ${least} in the team.`;
  throw new ProblemError('not_authorized', { detail });
}

/**
 * A key belongs to one team, which is the active one. A request that names another team is refused,
 * because silently working in the wrong team would be worse.
 */
function checkTeam(request: Request, principal: Principal): void {
  const named = request.headers.get(TEAM_HEADER);
  if (named === null || principal.kind !== 'personal') return;
  if (named.toLowerCase() === principal.teamId) return;
  throw new ProblemError('not_authorized', {
    field: TEAM_HEADER,
    detail: `${TEAM_HEADER}: this key belongs to another team. Use a key of the named team.`,
  });
}

/** A run-scoped key may only access its own run; any other run is a 404 (threats.md S3). */
function checkRunScope(
  { ofOtherRun }: Endpoint,
  { kind, runId: own }: Principal,
  runId: string | undefined,
): void {
  if (kind !== 'run' || ofOtherRun || runId === undefined) return;
  if (runId.toLowerCase() !== own) throw new ProblemError('resource_not_found');
}
