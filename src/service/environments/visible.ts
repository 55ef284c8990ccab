import type { OperatorEnvironment } from '../../config/operator-config.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';

/** The environments that a team owns, is a guest of, or reaches by link. */
export async function visibleEnvironments(
  context: ServiceContext,
  teamId: string,
): Promise<OperatorEnvironment[]> {
  const team = await teamName(context, teamId);
  return context.config.environments.filter((environment) => isOpenTo(environment, team));
}

export async function isVisible(
  context: ServiceContext,
  teamId: string,
  id: string,
): Promise<boolean> {
  const environments = await visibleEnvironments(context, teamId);
  return environments.some((environment) => environment.id === id);
}

/** Throws `resource_not_found` if the environment does not exist or the team may not see it. */
export async function requireVisible(
  context: ServiceContext,
  teamId: string,
  id: string,
  field: string,
): Promise<void> {
  if (await isVisible(context, teamId, id)) return;
  throw new ProblemError('resource_not_found', {
    field,
    detail: `${field}: there is no environment "${id}" for this team`,
  });
}

function isOpenTo(environment: OperatorEnvironment, team: string): boolean {
  return environment.team === team || environment.guests.includes(team) || environment.link_sharing;
}

async function teamName({ db }: ServiceContext, teamId: string): Promise<string> {
  const team = await db
    .selectFrom('teams')
    .where('id', '=', teamId)
    .select('name')
    .executeTakeFirst();
  return team?.name ?? '';
}
