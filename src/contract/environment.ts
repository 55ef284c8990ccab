import { z } from 'zod';
import { environmentId, runIdentifier, scope, timestamp, userProfile } from './primitives.ts';
import { runState } from './run.ts';

export const environmentConfig = z.object({
  name: z.string().optional(),
  description: z.string().nullable().optional(),
  docker_image: z.string().optional(),
  github_repos: z.array(z.object({ owner: z.string(), repo: z.string() })).optional(),
  setup_commands: z.array(z.string()).optional(),
});

/** interface.md 2.7. */
export const environment = z.object({
  uid: environmentId,
  config: environmentConfig,
  last_updated: timestamp,
  setup_failed: z.boolean(),
  creator: userProfile.optional(),
  last_editor: userProfile.optional(),
  scope: scope.optional(),
  last_task_run_timestamp: timestamp.nullable().optional(),
  last_task_created: z
    .object({
      id: runIdentifier,
      title: z.string(),
      state: runState,
      created_at: timestamp,
      updated_at: timestamp,
      started_at: timestamp.nullable().optional(),
    })
    .nullable()
    .optional(),
});
export type Environment = z.infer<typeof environment>;

export const listEnvironmentsQuery = z.object({
  sort_by: z.enum(['name', 'last_updated']).default('last_updated'),
});
export const listEnvironmentsResponse = z.object({ environments: z.array(environment) });
/** What any service must send for us to find a repository's environment. */
export const listEnvironmentsRead = z.looseObject({
  environments: z.array(
    z.looseObject({
      uid: z.string(),
      config: z
        .looseObject({
          name: z.string().nullish(),
          github_repos: z.array(z.looseObject({ owner: z.string(), repo: z.string() })).nullish(),
        })
        .nullish(),
    }),
  ),
});
