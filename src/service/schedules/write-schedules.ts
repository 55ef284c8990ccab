import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { AgentConfig } from '../../contract/agent-config.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import type { AuditAction } from '../../contract/people.ts';
import { invalidField, ProblemError } from '../../contract/problem.ts';
import { isOff } from '../../contract/not-served.ts';
import {
  NAMED_ENVIRONMENT,
  type Schedule,
  type UpdateScheduleRequest,
} from '../../contract/schedule.ts';
import { actorOf, recordAudit } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import { availableIdentity } from '../identities/execute-as.ts';
import type { Call } from '../http/call.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { checkMayShare } from '../runs/sharing.ts';
import { once, onceAllowed, readOnceKey } from '../runs/create/idempotency.ts';
import { resolveConfig } from '../runs/create/resolve-config.ts';
import { checkNewSkills, skillsNamed } from '../skills/find-skill.ts';
import type { Trx } from '../tables.ts';
import { checkCron, nextFiring } from './cron.ts';
import {
  presentSchedule,
  requireSchedule,
  shownEnvironment,
  type ScheduleRow,
} from './present-schedule.ts';
import { sendFiring } from './schedule-queue.ts';

type Kept = Pick<ScheduleRow, 'prompt' | 'mode' | 'agent_uid' | 'config' | 'metadata'>;
const NEW: Kept = { prompt: '', mode: null, agent_uid: null, config: {}, metadata: {} };

export async function createSchedule(
  context: ServiceContext,
  { caller, body, request }: Call<typeof endpoints.schedules.create>,
): Promise<Schedule> {
  const onceKey = readOnceKey(request, caller, 'schedule', body);
  const insert = async (trx: Trx): Promise<Schedule> => {
    const row = await trx
      .insertInto('schedules')
      .values({
        ...columnsOf(caller, body, NEW),
        id: randomUUID(),
        team_id: caller.teamId,
        created_by: JSON.stringify(caller.profile),
        created_at: sql<Date>`now()`,
        updated_at: sql<Date>`now()`,
        next_run: firstFiring(body.cron_schedule, body.enabled),
        last_ran: null,
        last_spawn_error: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await sendFiring(context, trx, row.id, row.next_run);
    await note(trx, caller, 'schedule.created', row);
    return presentSchedule(context, row);
  };
  return onceAllowed(context, onceKey, 'made_once', async () => {
    await check(context, caller, body, {});
    return context.db.transaction().execute((trx) => once(trx, onceKey, null, () => insert(trx)));
  });
}

export async function updateSchedule(
  context: ServiceContext,
  caller: TeamPrincipal,
  id: string,
  request: UpdateScheduleRequest,
): Promise<Schedule> {
  const { config } = await requireSchedule(context, caller.teamId, id);
  await check(context, caller, request, config);
  return change(context, caller, id, 'schedule.changed', (row, trx) => {
    const columns = columnsOf(caller, request, row);
    // A due firing keeps its time, unless the cron expression or the pause changes.
    const keeps = row.enabled && request.enabled && row.cron_schedule === columns.cron_schedule;
    return trx
      .updateTable('schedules')
      .set({
        ...columns,
        updated_at: sql<Date>`now()`,
        next_run: keeps ? row.next_run : firstFiring(columns.cron_schedule, request.enabled),
      })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Pauses or resumes a schedule; does nothing if it is in that state already. */
export async function setEnabled(
  context: ServiceContext,
  caller: TeamPrincipal,
  id: string,
  enabled: boolean,
): Promise<Schedule> {
  const action = enabled ? 'schedule.resumed' : 'schedule.paused';
  return change(context, caller, id, action, async (row, trx) => {
    if (row.enabled === enabled) return row;
    return trx
      .updateTable('schedules')
      .set({
        enabled,
        next_run: firstFiring(row.cron_schedule, enabled),
        updated_at: sql<Date>`now()`,
        updated_by: JSON.stringify(caller.profile),
      })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Deletes a schedule. Its past runs stay; a job that still waits finds nothing to fire. */
export async function deleteSchedule(
  context: ServiceContext,
  caller: TeamPrincipal,
  id: string,
): Promise<{ success: boolean }> {
  const { id: found } = await requireSchedule(context, caller.teamId, id);
  await context.db.transaction().execute(async (trx) => {
    const deleted = await trx
      .deleteFrom('schedules')
      .where('id', '=', found)
      .returning(['id', 'name'])
      .executeTakeFirst();
    if (!deleted) throw new ProblemError('resource_not_found');
    await note(trx, caller, 'schedule.deleted', deleted);
  });
  return { success: true };
}

/** Refuses a configuration that no firing could start, so that its author learns about it now. */
async function check(
  context: ServiceContext,
  caller: TeamPrincipal,
  request: UpdateScheduleRequest,
  kept: AgentConfig,
): Promise<void> {
  const config = request.agent_config ?? kept;
  const skills = skillsNamed(config, 'agent_config');
  if (!request.prompt?.trim() && skills.names.length === 0)
    throw invalidField('prompt', 'is needed, unless agent_config names a skill');
  checkCron(request.cron_schedule);
  if (request.agent_uid)
    await availableIdentity(context, caller.teamId, request.agent_uid, 'agent_uid');
  const resolved = await resolveConfig(
    context,
    caller.teamId,
    request.agent_config ?? {},
    'agent_config',
  );
  await checkNewSkills(context, caller.teamId, skills, skillsNamed(kept, '').names);
  checkMayShare(caller, resolved, false);
  checkEnvironment(context, request.environment, config);
}

/** A client may send back the environment that the schedule is shown with. */
function checkEnvironment(context: ServiceContext, given: unknown, config: AgentConfig): void {
  const shown = shownEnvironment(context, config);
  if (isOff(given) || isDeepStrictEqual(given, shown && JSON.parse(JSON.stringify(shown)))) return;
  throw new ProblemError('operation_not_supported', {
    field: 'environment',
    detail: `environment: is not served here: ${NAMED_ENVIRONMENT}`,
  });
}

/** The columns from a request; fields that it leaves out keep their values (interface.md 4.3). */
function columnsOf(caller: TeamPrincipal, request: UpdateScheduleRequest, row: Kept) {
  return {
    name: request.name,
    cron_schedule: request.cron_schedule.trim(),
    enabled: request.enabled,
    prompt: request.prompt ?? row.prompt,
    mode: request.mode ?? row.mode,
    agent_uid: (request.agent_uid ?? row.agent_uid) || null,
    config: JSON.stringify(request.agent_config ?? row.config),
    metadata: JSON.stringify(request.metadata ?? row.metadata),
    updated_by: JSON.stringify(caller.profile),
  };
}

function firstFiring(cron: string, enabled: boolean): Date | null {
  return enabled ? (nextFiring(cron, new Date()) ?? null) : null;
}

/** Changes a schedule's row under its lock, together with the job of its next firing. */
async function change(
  context: ServiceContext,
  caller: TeamPrincipal,
  id: string,
  action: AuditAction,
  decide: (row: ScheduleRow, trx: Trx) => Promise<ScheduleRow>,
): Promise<Schedule> {
  await requireSchedule(context, caller.teamId, id);
  return context.db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('schedules')
      .where('id', '=', id)
      .selectAll()
      .forUpdate()
      .executeTakeFirst();
    if (!row) throw new ProblemError('resource_not_found');
    const changed = await decide(row, trx);
    await sendFiring(context, trx, changed.id, changed.next_run);
    if (changed !== row) await note(trx, caller, action, changed);
    return presentSchedule(context, changed);
  });
}

async function note(
  trx: Trx,
  caller: TeamPrincipal,
  action: AuditAction,
  { id, name }: Pick<ScheduleRow, 'id' | 'name'>,
): Promise<void> {
  const object = { type: 'schedule', id, name } as const;
  await recordAudit(trx, actorOf(caller), { teamId: caller.teamId, action, object });
}
