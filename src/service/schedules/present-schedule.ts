import type { Selectable } from 'kysely';
import type { AgentConfig } from '../../contract/agent-config.ts';
import type { Schedule } from '../../contract/schedule.ts';
import { uuid } from '../../contract/primitives.ts';
import { ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import { configOf } from '../environments/list-environments.ts';
import type { SchedulesTable } from '../resource-tables.ts';
import type { NewRun } from '../runs/create/new-run.ts';

export type ScheduleRow = Selectable<SchedulesTable>;

/** The configuration of the schedule's environment as it is now. */
export function shownEnvironment(
  { config }: Pick<ServiceContext, 'config'>,
  { environment_id }: AgentConfig,
): Schedule['environment'] {
  const found = config.environments.find(({ id }) => id === environment_id);
  return found && configOf(found);
}

/** A schedule in the API's form. */
export function presentSchedule(
  { config }: Pick<ServiceContext, 'config'>,
  row: ScheduleRow,
): Schedule {
  const environment = shownEnvironment({ config }, row.config);
  return {
    ...(environment ? { environment } : {}),
    id: row.id,
    name: row.name,
    cron_schedule: row.cron_schedule,
    enabled: row.enabled,
    prompt: row.prompt,
    ...(row.mode === null ? {} : { mode: row.mode }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    agent_config: row.config,
    ...(row.agent_uid === null ? {} : { agent_uid: row.agent_uid }),
    metadata: row.metadata,
    created_by: row.created_by,
    updated_by: row.updated_by,
    history: {
      last_ran: row.last_ran?.toISOString() ?? null,
      next_run: row.next_run?.toISOString() ?? null,
    },
    last_spawn_error: row.last_spawn_error,
    scope: { type: 'Team', uid: row.team_id },
  };
}

const byName = new Intl.Collator('en', { sensitivity: 'base' });

/** A team's schedules, alphabetically (interface.md 4.3). */
export async function listSchedules(
  context: Pick<ServiceContext, 'db' | 'config'>,
  teamId: string,
): Promise<Schedule[]> {
  const rows = await context.db
    .selectFrom('schedules')
    .where('team_id', '=', teamId)
    .selectAll()
    .orderBy('id')
    .execute();
  return rows
    .map((row) => presentSchedule(context, row))
    .toSorted((a, b) => byName.compare(a.name, b.name));
}

/** The team's schedule, if there is one with this id. */
export async function findSchedule(
  { db }: Pick<ServiceContext, 'db'>,
  teamId: string,
  id: string | undefined,
): Promise<ScheduleRow | undefined> {
  if (!uuid.safeParse(id).success) return undefined;
  return db
    .selectFrom('schedules')
    .where('id', '=', id ?? null)
    .where('team_id', '=', teamId)
    .selectAll()
    .executeTakeFirst();
}

/** The team's schedule. Throws the same 404 for an unknown schedule and for another team's. */
export async function requireSchedule(
  context: Pick<ServiceContext, 'db'>,
  teamId: string,
  id: string,
): Promise<ScheduleRow> {
  const row = await findSchedule(context, teamId, id);
  if (!row) throw new ProblemError('resource_not_found');
  return row;
}

/** What a run keeps of the schedule that it belongs to (interface.md 2.1). */
export function scheduleOfRun({ id, name, cron_schedule }: ScheduleRow): NewRun['schedule'] {
  return { schedule_id: id, schedule_name: name, cron_schedule };
}
