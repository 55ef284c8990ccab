import { sql } from 'kysely';
import type { Environment } from '../../contract/environment.ts';
import type { OperatorEnvironment } from '../../config/operator-config.ts';
import type { RunState, StatusMessage } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { visibleEnvironments } from './visible.ts';

interface Usage {
  id: string;
  last_updated: Date;
  run_id: string | null;
  title: string;
  state: RunState;
  status_message: StatusMessage | null;
  created_at: Date;
  updated_at: Date;
  started_at: Date | null;
}

/** The configuration of an environment as the API shows it. */
export function configOf(environment: OperatorEnvironment): Environment['config'] {
  return {
    name: environment.name,
    description: environment.description ?? null,
    ...(environment.image === undefined ? {} : { docker_image: environment.image }),
    github_repos: environment.repositories.map(({ owner, repo }) => ({ owner, repo })),
    setup_commands: environment.setup_commands,
  };
}

function present(environment: OperatorEnvironment, usage: Usage | undefined): Environment {
  return {
    uid: environment.id,
    config: configOf(environment),
    last_updated: (usage?.last_updated ?? new Date(0)).toISOString(),
    setup_failed: usage?.status_message?.error_code === 'environment_setup_failed',
    scope: { type: 'Team' },
    ...lastTask(usage),
  };
}

/** The environments a team may use, newest change first or by name (interface.md 4.1). */
export async function listEnvironments(
  context: ServiceContext,
  teamId: string,
  sortBy: 'name' | 'last_updated',
): Promise<Environment[]> {
  const visible = await visibleEnvironments(context, teamId);
  const usage = await usageOf(
    context,
    teamId,
    visible.map(({ id }) => id),
  );
  const byName = visible
    .map((environment) => present(environment, usage.get(environment.id)))
    .toSorted((a, b) => (a.config.name ?? '').localeCompare(b.config.name ?? '', 'en'));
  return sortBy === 'name'
    ? byName
    : byName.toSorted((a, b) => Date.parse(b.last_updated) - Date.parse(a.last_updated));
}

/** When each environment's configuration changed last, and the team's latest run in it. */
async function usageOf(
  { db }: ServiceContext,
  teamId: string,
  ids: readonly string[],
): Promise<Map<string, Usage>> {
  const { rows } = await sql<Usage>`
    select e.id, e.last_updated, r.id as run_id, r.title, r.state, r.status_message,
           r.created_at, r.updated_at,
           (select min(x.started_at) from executions x where x.run_id = r.id) as started_at
    from environments e
    left join lateral (
      select * from runs
      where environment_id = e.id and team_id = ${teamId}
      order by created_at desc limit 1
    ) r on true
    where e.id = any(${ids})`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

function lastTask(
  usage: Usage | undefined,
): Pick<Environment, 'last_task_created' | 'last_task_run_timestamp'> {
  if (!usage?.run_id) return { last_task_created: null, last_task_run_timestamp: null };
  return {
    last_task_run_timestamp: usage.created_at.toISOString(),
    last_task_created: {
      id: usage.run_id,
      title: usage.title,
      state: usage.state,
      created_at: usage.created_at.toISOString(),
      updated_at: usage.updated_at.toISOString(),
      started_at: usage.started_at?.toISOString() ?? null,
    },
  };
}
