import { z } from 'zod';
import { agentConfig, askedServers, hostedOnly, memoryStores, runner } from './agent-config.ts';
import {
  environmentId,
  filledText,
  nameText,
  skillSpec,
  text,
  timestamp,
  uuid,
} from './primitives.ts';
import { noFactories } from './run.ts';

const autoMemory = z.object({
  enabled: z.boolean().default(true).meta({
    description: 'Kept: it is shown as given, and nothing is remembered between runs.',
  }),
});
const store = z.object({
  uid: filledText(256),
  access: z.enum(['read_write', 'read_only']),
  instructions: text(65_536).optional(),
});
const memory = z.object({
  auto_memory: autoMemory.optional(),
  attached_stores: memoryStores.nullable(),
});
const config = agentConfig.shape;
const credentialStrategy = z.enum(['CREATOR', 'EXECUTOR']);

/** What an identity can have besides its name (interface.md 2.9). */
const settings = {
  description: text(4096).nullish(),
  prompt: text(262_144).nullish(),
  skills: z.array(skillSpec).max(32).nullish(),
  memory: memory.nullish(),
  default_runner_uid: runner.nullish(),
  environment_id: z.union([environmentId, z.literal('')]).nullish(),
  base_model: text(256).nullish(),
  worker_host: text(256).nullish(),
  base_harness: text(64).nullish(),
  harness: config.harness.nullable(),
  harness_auth_secrets: hostedOnly.harness_auth_secrets.nullable(),
  inference_providers: hostedOnly.inference_providers.nullable(),
  mcp_servers: askedServers.nullish(),
  credential_strategy: hostedOnly.credential_strategy,
  secrets: hostedOnly.secrets.nullable(),
  secrets_append: hostedOnly.secrets.nullable(),
  factory_uid: noFactories.nullable(),
  agent_type: noFactories.nullable(),
  on_behalf_of_enabled: z.boolean().nullish(),
};

/** Body of POST /agent/identities. */
export const createIdentityRequest = z.object({ name: nameText(256), ...settings });

/**
 * Body of PUT: a field that is absent or null is kept, an empty value clears it, any other replaces
 * it.
 */
export const updateIdentityRequest = z.object({ name: nameText(256).nullish(), ...settings });
export type UpdateIdentityRequest = z.output<typeof updateIdentityRequest>;

/** An agent of a team, which runs can execute as (interface.md 2.9). */
export const identity = z.object({
  uid: uuid,
  name: z.string(),
  /** Within the team's plan limit, so runs may use it (interface.md 2). */
  available: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
  description: z.string().nullable(),
  prompt: z.string().nullable(),
  secrets: z.array(z.object({ name: z.string() })),
  skills: z.array(z.string()),
  memory: z.object({
    auto_memory: z.object({ enabled: z.boolean() }),
    attached_stores: z.array(store),
  }),
  default_runner_uid: z.string(),
  environment_id: z.string().optional(),
  base_model: z.string().optional(),
  worker_host: z.string().optional(),
  harness: config.harness,
  harness_auth_secrets: config.harness_auth_secrets,
  inference_providers: config.inference_providers,
  mcp_servers: config.mcp_servers,
  credential_strategy: credentialStrategy.optional(),
  on_behalf_of_enabled: z.boolean(),
});
export type Identity = z.infer<typeof identity>;

export const listIdentitiesResponse = z.object({ agents: z.array(identity) });
