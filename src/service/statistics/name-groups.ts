import type { StatisticsGroup } from '../../contract/statistics.ts';
import type { ServiceContext } from '../context.ts';

const NONE: Record<StatisticsGroup, string> = {
  environment: 'No environment',
  repository: 'No repository',
  agent: 'No agent',
  model: 'Default model',
  person: 'Unknown',
};

/** Display names for the groups with these keys; a key without one is shown as it is. */
export async function nameGroups(
  { db, config }: Pick<ServiceContext, 'db' | 'config'>,
  teamId: string,
  group: StatisticsGroup,
  keys: string[],
): Promise<Map<string, string>> {
  const named = (rows: { id: string; name: string }[]): Map<string, string> =>
    new Map([['', NONE[group]], ...rows.map(({ id, name }) => [id, name] as const)]);
  if (group === 'environment')
    return named(config.environments.filter(({ id }) => keys.includes(id)));
  if (group === 'model')
    return named(config.models.map(({ id, display_name: name = id }) => ({ id, name })));
  if (group === 'repository' || keys.length === 0) return named([]);
  if (group === 'agent')
    return named(
      await db
        .selectFrom('identities')
        .where('team_id', '=', teamId)
        .select(['uid as id', 'name'])
        .execute(),
    );
  return named(
    await db
      .selectFrom('users as u')
      .innerJoin('memberships as m', 'm.user_id', 'u.id')
      .where('m.team_id', '=', teamId)
      .select(['u.id', 'u.display_name as name'])
      .execute(),
  );
}
