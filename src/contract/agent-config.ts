import { z } from 'zod';
import { keyed } from './keyed.ts';
import { environmentId, filledText, skillSpec, text } from './primitives.ts';

const mcpServer = z
  .object({
    warp_id: z.string().optional(),
    command: z.string().optional(),
    url: z.string().optional(),
    args: z.array(text(32_768)).max(256).optional(),
    env: keyed(z.string(), text(32_768)).optional(),
    headers: keyed(z.string(), text(32_768)).optional(),
  })
  .refine(
    (server) => [server.warp_id, server.command, server.url].filter(Boolean).length === 1,
    'needs exactly one of warp_id, command, url',
  );

/**
 * How an agent is run: `config` of a new run, `agent_config` of a run or schedule
 * (interface.md 2.2).
 */
export const agentConfig = z.object({
  name: text(512).optional(),
  model_id: text(256).optional(),
  base_prompt: text(262_144).optional(),
  environment_id: environmentId.optional(),
  runner_id: text(256).optional(),
  skill_spec: skillSpec.optional(),
  skills: z.array(skillSpec).max(32).optional(),
  mcp_servers: keyed(filledText(256), mcpServer).optional(),
  computer_use_enabled: z.boolean().optional(),
  computer_use_model_id: text(256).optional(),
  idle_timeout_minutes: z.int().min(0).max(60).optional(),
  worker_host: text(256).optional(),
  harness: z
    .object({
      /**
       * A profile's name; the public default `oz` means the operator's default profile
       * (run-lifecycle.md, "Where a run works").
       */
      type: filledText(64).optional(),
      model_id: text(256).optional(),
      reasoning_level: text(64).optional(),
    })
    .optional(),
  harness_auth_secrets: z
    .object({
      claude_auth_secret_name: text(256).optional(),
      codex_auth_secret_name: text(256).optional(),
    })
    .optional(),
  session_sharing: z.object({ public_access: z.enum(['VIEWER', 'EDITOR']).optional() }).optional(),
  memory_stores: z
    .array(
      z.object({
        uid: filledText(256),
        access: z.enum(['read_write', 'read_only']),
        instructions: filledText(65_536),
      }),
    )
    .max(64)
    .optional(),
  inference_providers: z
    .object({
      aws: z
        .object({
          disabled: z.boolean().optional(),
          role_arn: text(2048).optional(),
          region: text(64).optional(),
        })
        .optional(),
    })
    .optional(),
  credential_strategy: z.enum(['CREATOR', 'EXECUTOR']).nullable().optional(),
});
export type AgentConfig = z.infer<typeof agentConfig>;
