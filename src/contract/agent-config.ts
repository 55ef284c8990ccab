import { z } from 'zod';
import { keyed } from './keyed.ts';
import { isOff, NOT_SERVED, notServed, unknownHere } from './not-served.ts';
import { environmentId, filledText, skillSpec, text } from './primitives.ts';

/** The public name of the service's own pool (interface.md 2.2). */
export const OWN_POOL = 'warp';
/** The public default; asking for it asks for nothing. */
const IDLE_DEFAULT_MINUTES = 10;

const mcpServer = z
  .object({
    warp_id: notServed(z.string().optional(), 'no servers are stored here: give command or url'),
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

/** RFC 9110 5.1 and 5.5. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER = /^[\t\P{Cc}]*$/u;
const areHeaders = (headers: Record<string, string> = {}): boolean =>
  Object.entries(headers).every(([name, value]) => HEADER_NAME.test(name) && HEADER.test(value));

/** Checks what only one kind of server accepts, so that nothing is dropped silently. */
const askedServer = mcpServer.check(({ value: server, issues }) => {
  const fault = (field: string, message: string, params?: object): void =>
    void issues.push({ code: 'custom', path: [field], message, input: server, params });
  const { url, env = {} } = server;
  const lost = url ? (['args', 'env'] as const) : (['headers'] as const);
  for (const field of lost)
    if (!isOff(server[field]))
      fault(field, `is not served here: ${url ? 'a url' : 'a command'} has none`, NOT_SERVED);
  if (url && !/^https?:/.test(URL.parse(url)?.protocol ?? ''))
    fault('url', 'must be an http or https URL');
  if (Object.keys(env).some((name) => !/^[^=]+$/.test(name)))
    fault('env', 'names must not be empty or have a “=”');
  if (!areHeaders(server.headers)) fault('headers', 'must be valid HTTP header names and values');
});
/** The MCP servers of a request's configuration or agent. */
export const askedServers = keyed(filledText(256), askedServer);

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
  secrets: z.array(z.object({ name: filledText(128) })).optional(),
});
export type AgentConfig = z.infer<typeof agentConfig>;

const OPERATORS_KEYS = 'the operator decides which accounts and variables agents are given';
const OPERATORS_MODELS = 'the operator decides in runlink.yaml who serves which model';
const NO_MEMORY = 'nothing is remembered between runs, but a conversation can be continued';
export const LOOKS_ONLY = 'visitors who come by a link can only look';
const NO_SCREEN = 'agents are given no screen';

const { shape } = agentConfig;
/** Every kind of provider or secret counts as requested, including kinds newer than this code. */
const providers = shape.inference_providers.unwrap();
/** Fields that only a hosted service carries out, in configurations and agents. */
export const hostedOnly = {
  harness_auth_secrets: notServed(
    shape.harness_auth_secrets.unwrap().loose().optional(),
    OPERATORS_KEYS,
  ),
  inference_providers: notServed(
    providers.loose().optional(),
    OPERATORS_MODELS,
    (asked) =>
      isOff({ ...asked, aws: undefined }) && (isOff(asked?.aws) || asked?.aws?.disabled === true),
  ),
  credential_strategy: notServed(
    shape.credential_strategy,
    OPERATORS_KEYS,
    (strategy) => strategy === 'EXECUTOR',
  ),
  secrets: notServed(shape.secrets, OPERATORS_KEYS),
};
const RUNNER = 'a machine is chosen with worker_host';
export const runner = notServed(shape.runner_id, RUNNER);
export const bundledSkill = unknownHere('no skill comes with the service');
export const memoryStores = notServed(shape.memory_stores, NO_MEMORY);

/** A configuration as a request may hold it (interface.md 7.3). */
export const agentConfigRequest = agentConfig.extend({
  ...hostedOnly,
  mcp_servers: askedServers.optional(),
  runner_id: runner,
  computer_use_enabled: notServed(shape.computer_use_enabled, NO_SCREEN),
  computer_use_model_id: notServed(shape.computer_use_model_id, NO_SCREEN),
  idle_timeout_minutes: notServed(
    shape.idle_timeout_minutes,
    'an execution ends with its last turn, and a follow-up starts the next',
    (minutes) => minutes === 0 || minutes === IDLE_DEFAULT_MINUTES,
  ),
  session_sharing: notServed(
    shape.session_sharing,
    LOOKS_ONLY,
    (sharing) => sharing?.public_access !== 'EDITOR',
  ),
  memory_stores: memoryStores,
  bundled_skill_id: bundledSkill,
  profile_id: unknownHere('an agent is chosen with harness'),
  additional_source_repos: unknownHere('the repositories are those of the environment'),
  experimental: unknownHere('there are no experiments'),
});
