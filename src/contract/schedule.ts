import { z } from 'zod';
import { agentConfig, agentConfigRequest } from './agent-config.ts';
import { environmentConfig } from './environment.ts';
import { keyed } from './keyed.ts';
import {
  filledText,
  metadata,
  nameText,
  scope,
  text,
  timestamp,
  userProfile,
  uuid,
} from './primitives.ts';
import { PROMPT_MAX, ofTeam, runMode } from './run.ts';

/** Why a schedule accepts an environment only by its id. */
export const NAMED_ENVIRONMENT =
  'environments are the operator’s, and are named by agent_config.environment_id';

const fields = {
  name: nameText(512),
  /** Five fields, from minute to day of week, in UTC. */
  cron_schedule: filledText(256),
  prompt: text(PROMPT_MAX).optional(),
  mode: runMode.optional(),
  /** Empty: the agent of whoever made the schedule. */
  agent_uid: z.union([uuid, z.literal('')]).optional(),
  agent_config: agentConfigRequest.optional(),
  /** Only sent in answers. */
  environment: z
    .unknown()
    .optional()
    .meta({ description: `Not served: ${NAMED_ENVIRONMENT}.` }),
  /** Metadata for each run that the schedule starts from now on. */
  metadata: metadata.optional(),
  team: ofTeam,
};

/** Body of PUT /agent/schedules/{scheduleId}; fields that are left out stay (interface.md 4.3). */
export const updateScheduleRequest = z.object({ ...fields, enabled: z.boolean() });
export type UpdateScheduleRequest = z.output<typeof updateScheduleRequest>;

/** Body of POST /agent/schedules (interface.md 4.3). */
export const createScheduleRequest = z.object({
  ...fields,
  enabled: z.boolean().default(true),
});

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
  /** The current settings of the environment that its runs use. */
  environment: environmentConfig.optional(),
  metadata: keyed(z.string(), z.string()).optional(),
  created_by: userProfile.optional(),
  updated_by: userProfile.optional(),
  /** When it last started a run, and when it will next; `next_run` is null while paused. */
  history: z.object({ last_ran: timestamp.nullable(), next_run: timestamp.nullable() }),
  /** Why the last firing started no run. */
  last_spawn_error: z.string().nullable(),
  scope: scope.optional(),
});
export type Schedule = z.infer<typeof schedule>;

export const listSchedulesResponse = z.object({ schedules: z.array(schedule) });
export const deleteScheduleResponse = z.object({ success: z.boolean() });
