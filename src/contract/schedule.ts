import { z } from 'zod';
import { agentConfig } from './agent-config.ts';
import { filledText, metadata, scope, text, timestamp, userProfile, uuid } from './primitives.ts';
import { PROMPT_MAX, runMode } from './run.ts';

const fields = {
  name: filledText(512),
  /** Five fields, minute to day of week, UTC. */
  cron_schedule: filledText(256),
  prompt: text(PROMPT_MAX).optional(),
  mode: runMode.optional(),
  agent_uid: uuid.optional(),
  agent_config: agentConfig.optional(),
  /** Given to each run from now on; left out, they get none. */
  metadata: metadata.optional(),
};

type Work = Pick<z.output<z.ZodObject<typeof fields>>, 'prompt' | 'agent_config'>;

function needsWork(context: z.core.ParsePayload<Work>): void {
  const { prompt, agent_config: config } = context.value;
  if (prompt?.trim() || config?.skill_spec || config?.skills?.length) return;
  context.issues.push({
    code: 'custom',
    path: ['prompt'],
    message: 'is needed, unless agent_config names a skill',
    input: prompt,
  });
}

/** Body of PUT /agent/schedules/{scheduleId}: a full replace (interface.md 4.3). */
export const updateScheduleRequest = z.object({ ...fields, enabled: z.boolean() }).check(needsWork);
export type UpdateScheduleRequest = z.output<typeof updateScheduleRequest>;

/** Body of POST /agent/schedules (interface.md 4.3). */
export const createScheduleRequest = z
  .object({ ...fields, enabled: z.boolean().default(true), team: z.boolean().optional() })
  .check(needsWork);
export type CreateScheduleRequest = z.output<typeof createScheduleRequest>;

/** A scheduled agent (interface.md 2.13). */
export const schedule = z.object({
  id: uuid,
  name: z.string(),
  cron_schedule: z.string(),
  enabled: z.boolean(),
  prompt: z.string(),
  mode: runMode.optional(),
  created_at: timestamp,
  updated_at: timestamp,
  agent_config: agentConfig.optional(),
  agent_uid: uuid.optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  created_by: userProfile.optional(),
  updated_by: userProfile.optional(),
  /** When it last started a run, and when it will next; `next_run` is null while paused. */
  history: z.object({ last_ran: timestamp.nullable(), next_run: timestamp.nullable() }),
  /** Why the latest firing started no run. */
  last_spawn_error: z.string().nullable(),
  scope: scope.optional(),
});
export type Schedule = z.infer<typeof schedule>;

export const listSchedulesResponse = z.object({ schedules: z.array(schedule) });
export const deleteScheduleResponse = z.object({ success: z.boolean() });
