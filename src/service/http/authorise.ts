import type { Endpoint } from '../../contract/endpoint.ts';
import { ProblemError } from '../../contract/problem.ts';
import { isOfTeam, type Principal } from '../keys/principal.ts';
import type { Authenticate } from './mount.ts';

const BEARER = /^Bearer +(\S.*)$/i;
/** Chooses a person's active team (interface.md 5.2). */
const TEAM_HEADER = 'X-Warp-Team-Uid';

async function principalOf(
  request: Request,
  authenticate: Authenticate,
): Promise<Principal | undefined> {
  const header = request.headers.get('authorization');
  if (header === null) return undefined;
  const key = BEARER.exec(header.trim())?.[1];
  const principal = key === undefined ? undefined : await authenticate(key);
  if (!principal) throw new ProblemError('authentication_required');
  return principal;
}

function checkWorker(principal: Principal): void {
  if (principal.kind === 'worker' || principal.kind === 'agent') return;
  throw new ProblemError('not_authorized', {
    detail: 'Only a worker key or an agent key may do this.',
  });
}

/** A key is of one team, so that is the active one; to work silently in another than was named would be worse than to refuse. */
function checkTeam(request: Request, principal: Principal): void {
  const named = request.headers.get(TEAM_HEADER);
  if (named === null || principal.kind !== 'personal') return;
  if (named.toLowerCase() === principal.teamId) return;
  throw new ProblemError('not_authorized', {
    field: TEAM_HEADER,
    detail: `${TEAM_HEADER}: this key is of another team. Use a key that was made for the team.`,
  });
}

/** A run-scoped key speaks of its own run alone; any other run does not exist for it (threats.md S3). */
function checkRunScope(endpoint: Endpoint, principal: Principal, runId: string | undefined): void {
  if (principal.kind !== 'run' || endpoint.auth === 'judge') return;
  if (endpoint.auth !== 'run')
    throw new ProblemError('not_authorized', { detail: 'A run’s own key may not do this.' });
  if (runId !== undefined && runId !== principal.runId)
    throw new ProblemError('resource_not_found');
}

/** Who calls, once that is known to be enough for the endpoint. */
export async function authorise(
  endpoint: Endpoint,
  request: Request,
  params: Record<string, string>,
  session: Principal | undefined,
  authenticate: Authenticate,
): Promise<Principal | undefined> {
  if (endpoint.auth === 'none') return undefined;
  const principal = session ?? (await principalOf(request, authenticate));
  if (!principal) {
    if (endpoint.auth === 'optional') return undefined;
    throw new ProblemError('authentication_required');
  }
  checkTeam(request, principal);
  if (endpoint.auth === 'worker') checkWorker(principal);
  else if (!isOfTeam(principal))
    throw new ProblemError('not_authorized', { detail: 'This key only takes runs.' });
  else checkRunScope(endpoint, principal, params['runId']);
  return principal;
}
