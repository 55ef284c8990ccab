import { z } from 'zod';
import { agentConfig, agentConfigRequest, bundledSkill, LOOKS_ONLY } from './agent-config.ts';
import { artifactItem, artifactType } from './artifact.ts';
import { keyed } from './keyed.ts';
import { notServed } from './not-served.ts';
import {
  METADATA_MAX_FILTER_PAIRS,
  environmentId,
  filledText,
  metadata,
  pageInfo,
  scope,
  skillSpec,
  text,
  timestamp,
  userProfile,
} from './primitives.ts';
import { RUN_STATES, TERMINAL_STATES } from './run-state.ts';
import { statisticsGroup } from './statistics.ts';

export { isTerminal, TERMINAL_STATES, type TerminalState } from './run-state.ts';

export const runState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof runState>;

/** CLAIMED is public but never used here; as a filter it matches nothing (interface.md 3). */
export const runStateFilter = z.enum([...RUN_STATES, 'CLAIMED']);

export const RUN_SOURCES = [
  'API',
  'LINEAR',
  'SLACK',
  'LOCAL',
  'SCHEDULED_AGENT',
  'WEB_APP',
  'GITHUB_ACTION',
  'CLOUD_MODE',
  'CLI',
  'JIRA',
  'SELF_IMPROVEMENT',
  'GITHUB_WEBHOOK',
  'GITLAB_WEBHOOK',
  'AUTOFIX',
  'RUN_SCORER',
  'ORCHESTRATION',
  'TEAMS',
  'AZURE_DEVOPS_WEBHOOK',
  'BENCHMARK_TRIAL',
  'CREATE_BENCHMARK_TASK',
  'CUSTOM_WEBHOOK',
] as const;
export const runSource = z.enum(RUN_SOURCES);
export type RunSource = z.infer<typeof runSource>;

export const executionLocation = z.enum(['LOCAL', 'REMOTE']);
export const runMode = z.enum(['normal', 'plan', 'orchestrate']);
export type RunMode = z.infer<typeof runMode>;

/** Longest prompt, in UTF-16 units; our own limit, because the interface has none. */
export const PROMPT_MAX = 1_000_000;
/** Most images of a run (interface.md 4.2). */
export const ATTACHMENTS_MAX = 5;
const FOLLOWUP_ATTACHMENTS_MAX = 25;
/** Largest image, before base64 makes it a third longer. */
export const ATTACHMENT_MAX_BYTES = 10 * 1024 * 1024;

const NO_HANDOFF = 'work under way elsewhere cannot be taken over';
const NO_FACTORIES = 'there are no factories here';

/** Schedules always belong to their team. */
export const ofTeam = notServed(
  z.boolean().optional(),
  'what a schedule starts belongs to its team',
  (team) => team === true,
);

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const image = {
  mime_type: z
    .string()
    .toLowerCase()
    .pipe(z.enum(IMAGE_TYPES))
    .meta({ enum: [...IMAGE_TYPES] }),
  data: z.base64().max(14_000_000),
};

/** Body of POST /agent/run and POST /agent/runs (interface.md 4.2). */
export const createRunRequest = z.object({
  prompt: text(PROMPT_MAX).optional(),
  mode: runMode.optional(),
  skill: filledText(1024).optional(),
  config: agentConfigRequest.optional(),
  title: text(1024).optional(),
  /** `false`: nobody else can see the run (interface.md 5.5). */
  team: z.boolean().optional(),
  agent_identity_uid: filledText(256).optional(),
  on_behalf_of: filledText(320).optional(),
  conversation_id: filledText(256).optional(),
  attachments: z
    .array(
      z.object({
        file_name: filledText(512),
        ...image,
      }),
    )
    .max(ATTACHMENTS_MAX, `takes at most ${ATTACHMENTS_MAX} images`)
    .optional(),
  /** Older name of `attachments`. */
  images: z.array(z.object(image)).max(ATTACHMENTS_MAX).optional(),
  parent_run_id: filledText(256).optional(),
  interactive: notServed(
    z.boolean().optional(),
    'nobody sits beside an agent; it is spoken to by follow-ups',
  ),
  referenced_attachments: notServed(z.unknown().optional(), 'send images as attachments'),
  initial_snapshot_token: notServed(z.unknown().optional(), NO_HANDOFF),
  orchestration_handoff: notServed(z.unknown().optional(), NO_HANDOFF),
  runtime_skills: notServed(
    z.unknown().optional(),
    'skills come from the repositories of environments',
  ),
  bundled_skill_id: bundledSkill,
  metadata: metadata.optional(),
});
export type CreateRunRequest = z.input<typeof createRunRequest>;

/** The images that a run was started with; ours. */
export const listAttachmentsResponse = z.object({
  attachments: z.array(createRunRequest.shape.attachments.unwrap().element),
});

/** The same under the public name; `download_url` is a data URL with the content. */
export const handoffAttachmentsResponse = z.object({
  attachments: z.array(
    z.object({
      attachment_id: z.string(),
      filename: z.string(),
      mime_type: z.string(),
      download_url: z.string(),
    }),
  ),
});

/** Body and answer of PUT /agent/runs/{runId}/sharing; ours. */
export const runSharing = z.object({
  public_access: notServed(
    z.enum(['VIEWER', 'EDITOR']).nullable(),
    LOOKS_ONLY,
    (access) => access !== 'EDITOR',
  ),
});

export const createRunResponse = z.object({
  run_id: z.string(),
  task_id: z.string(),
  state: runState,
  at_capacity: z.boolean().optional(),
});
/**
 * What every service that speaks the interface must send: only `run_id` is promised (interface.md
 * 4.2).
 */
export const createRunAccepted = z.looseObject({
  run_id: z.string(),
  state: z.string().optional(),
});

export const runErrorCode = z.string();

/** Details of a run's state (interface.md 2.1). */
export const statusMessage = z.object({
  message: z.string(),
  error_code: runErrorCode.optional(),
  retryable: z.boolean().optional(),
});
export type StatusMessage = z.infer<typeof statusMessage>;

export const requestUsage = z.object({
  inference_cost: z.number().optional(),
  compute_cost: z.number().optional(),
  platform_cost: z.number().optional(),
  inference_cost_usd: z.number().optional(),
  total_tokens: z.int().optional(),
  model_token_usage: z.array(z.object({ model_id: z.string(), total_tokens: z.int() })).optional(),
});
export type RequestUsage = z.infer<typeof requestUsage>;

/** How many of a run's executions are listed; the latest. */
export const EXECUTIONS_SHOWN = 20;

/** One execution of a run: the first, or one that a follow-up to the ended run started; ours. */
export const runExecution = z.object({
  /** 1 for the first; the timeline's `execution_id`. */
  execution_id: z.int().min(1),
  queued_at: timestamp,
  /** When its worker began; null while it waits, or if it ended before that. */
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  /** The state it ended in. */
  outcome: z.enum(TERMINAL_STATES).nullable(),
  worker_id: z.string().optional(),
  harness: z.string().optional(),
  status_message: statusMessage.optional(),
  usage: requestUsage.optional(),
});
export type RunExecution = z.infer<typeof runExecution>;

/** Why a run is still queued; ours. */
const runWaiting = z.object({
  reason: z.enum(['no_worker', 'no_harness', 'in_line', 'caller_executes', 'held']),
  message: z.string(),
});
export type RunWaiting = z.infer<typeof runWaiting>;

/** A run as we send it (interface.md 2.1). */
export const runItem = z.object({
  run_id: z.string(),
  task_id: z.string(),
  root_run_id: z.string(),
  parent_run_id: z.string().optional(),
  title: z.string(),
  prompt: z.string(),
  state: runState,
  status_message: statusMessage.optional(),
  /** Sent only if the run is requested by its id. */
  waiting: runWaiting.optional(),
  created_at: timestamp,
  updated_at: timestamp,
  started_at: timestamp.nullable().optional(),
  finished_at: timestamp.nullable(),
  /** How long the ended executions worked, as an ISO 8601 duration such as PT2M30S. */
  run_time: z.string().optional(),
  /** The latest executions, oldest first; ours. */
  executions: z.array(runExecution),
  source: runSource,
  execution_location: executionLocation,
  schedule: z
    .object({ schedule_id: z.string(), schedule_name: z.string(), cron_schedule: z.string() })
    .optional(),
  session_id: z.string().optional(),
  session_link: z.string().optional(),
  trigger_url: z.string().optional(),
  creator: userProfile.optional(),
  executor: userProfile.optional(),
  request_usage: requestUsage.optional(),
  /** Lines added and removed since the agent began, once known; ours. */
  changed_lines: z.object({ additions: z.int(), deletions: z.int() }).optional(),
  /** How the agent works in the latest execution; ours. */
  mode: runMode.optional(),
  agent_config: agentConfig.optional(),
  agent_skill: z
    .object({
      name: z.string().optional(),
      description: z.string().optional(),
      full_path: z.string().optional(),
    })
    .optional(),
  conversation_id: z.string().optional(),
  metadata: keyed(z.string(), z.string()).optional(),
  is_sandbox_running: z.boolean(),
  is_run_type_cancellable: z.boolean(),
  artifacts: z.array(artifactItem),
  scope: scope.optional(),
});
export type RunItem = z.infer<typeof runItem>;

/**
 * A run as any service may send it. Unknown states and artifact types are kept, `status_message`
 * may be an object or plain text (interface.md 2.1), and only the id is required.
 */
export const runRead = z.looseObject({
  run_id: z.string(),
  state: z.string(),
  title: z.string().optional(),
  prompt: z.string().optional(),
  status_message: z
    .union([
      z.looseObject({
        message: z.string(),
        error_code: z.string().optional(),
        retryable: z.boolean().optional(),
      }),
      z
        .string()
        .transform((message): { message: string; error_code?: string; retryable?: boolean } => ({
          message,
        })),
    ])
    .nullish(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  started_at: z.string().nullish(),
  finished_at: z.string().nullish(),
  run_time: z.string().optional(),
  executions: z
    .array(
      z.looseObject({
        execution_id: z.int().optional(),
        queued_at: z.string().optional(),
        started_at: z.string().nullish(),
        ended_at: z.string().nullish(),
        outcome: z.string().nullish(),
      }),
    )
    .optional(),
  session_link: z.string().nullish(),
  waiting: z.looseObject({ message: z.string() }).optional(),
  conversation_id: z.string().nullish(),
  is_run_type_cancellable: z.boolean().optional(),
  agent_config: z
    .looseObject({ environment_id: z.string().nullish(), model_id: z.string().nullish() })
    .nullish(),
  agent_skill: z.looseObject({ full_path: z.string().nullish() }).nullish(),
  scope: z.looseObject({ type: z.string() }).nullish(),
  creator: z.looseObject({ uid: z.string().nullish() }).nullish(),
  executor: z.looseObject({ type: z.string().nullish(), uid: z.string().nullish() }).nullish(),
  request_usage: z
    .looseObject({
      total_tokens: z.number().optional(),
      inference_cost_usd: z.number().optional().catch(undefined),
    })
    .nullish(),
  metadata: keyed(z.string(), z.string()).nullish(),
  mode: runMode.optional().catch(undefined),
  changed_lines: z
    .looseObject({ additions: z.number(), deletions: z.number() })
    .nullish()
    .catch(undefined),
  artifacts: z
    .array(
      z.looseObject({
        artifact_type: z.string(),
        /** Ours: `run`, `worker` or `user`. */
        reported_by: z.string().optional(),
        data: z.looseObject({ url: z.string().optional() }).nullish(),
      }),
    )
    .nullish(),
});
export type RunRead = z.output<typeof runRead>;

/** Page bounds of GET /agent/runs (interface.md 6.3). */
const PAGE_LIMIT = { min: 1, max: 500, default: 20 } as const;

/**
 * Query of GET /agent/runs (interface.md 4.2). Filters combine with AND, repeated values with OR.
 */
const TASK_STATUSES = ['running', 'failed', 'blocked', 'cancelled', 'complete'] as const;
export const noFactories = notServed(z.string().optional(), NO_FACTORIES);

const listFilters = z.object({
  limit: z.int().min(PAGE_LIMIT.min).max(PAGE_LIMIT.max).default(PAGE_LIMIT.default),
  cursor: z.string().max(4096).optional(),
  /** `relevance` is ours: the best matches for `q` first. */
  sort_by: z
    .enum(['updated_at', 'created_at', 'title', 'agent', 'relevance'])
    .default('updated_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  state: z.array(runStateFilter).optional(),
  name: text(512).optional(),
  model_id: text(256).optional(),
  creator: text(256).optional(),
  executor: text(256).optional(),
  source: z.array(runSource).optional(),
  execution_location: executionLocation.optional(),
  created_after: timestamp.optional(),
  created_before: timestamp.optional(),
  updated_after: timestamp.optional(),
  environment_id: z.union([z.literal('empty-environment'), environmentId]).optional(),
  skill: skillSpec.optional(),
  skill_spec: skillSpec.optional(),
  schedule_id: text(256).optional(),
  ancestor_run_id: text(256).optional(),
  metadata: keyed(filledText(64), text(256))
    .refine(
      (pairs) => Object.keys(pairs).length <= METADATA_MAX_FILTER_PAIRS,
      'takes at most 5 key/value pairs',
    )
    .optional(),
  /** Selects runs by the metadata pair of this name. */
  automation_id: text(256).optional(),
  /** State of a tree of runs, by its topmost run; `running` while any run below it is. */
  task_status: z.array(z.enum(TASK_STATUSES)).optional(),
  factory_uid: notServed(z.array(text(256)).optional(), NO_FACTORIES),
  factory_only: notServed(z.boolean().optional(), NO_FACTORIES),
  artifact_type: artifactType.optional(),
  /** Ours: runs that have no value for each of these statistics groups. */
  without: z.array(statisticsGroup).optional(),
  /** Ours: the person that the statistics count the run for, by that group's key. */
  person: text(256).optional(),
  q: text(1024).optional(),
});
export const listRunsQuery = listFilters.check(({ value: query, issues }) => {
  if (query.sort_by !== 'relevance') return;
  const fault = (field: string, message: string): void =>
    void issues.push({ code: 'custom', path: [field], message, input: query });
  if (!query.q?.trim()) fault('sort_by', 'relevance needs a q');
  if (query.sort_order === 'asc') fault('sort_order', 'cannot be asc with sort_by=relevance');
});
export type ListRunsQuery = z.input<typeof listRunsQuery>;

export const listRunsResponse = z.object({ runs: z.array(runItem), page_info: pageInfo });
export const listRunsRead = z.looseObject({
  runs: z.array(runRead),
  page_info: z
    .looseObject({
      has_next_page: z.boolean().optional(),
      next_cursor: z.string().nullish(),
    })
    .optional(),
});

/** Body of POST /agent/runs/{runId}/followups (interface.md 4.2). */
export const followupRequest = z.object({
  message: text(PROMPT_MAX).optional(),
  mode: runMode.optional(),
  /** Images that were stored for this run before. */
  attachments: z
    .array(z.object({ attachment_id: text(256), file_name: text(512).optional() }))
    .max(FOLLOWUP_ATTACHMENTS_MAX)
    .optional(),
});

/** Body of POST …/attachments/prepare: images that a later follow-up will name. */
export const prepareAttachmentsRequest = z.object({
  files: z
    .array(z.object({ filename: filledText(512), mime_type: image.mime_type }))
    .min(1)
    .max(FOLLOWUP_ATTACHMENTS_MAX),
});
/** Where to PUT each image, in the same order. */
export const prepareAttachmentsResponse = z.object({
  attachments: z.array(z.object({ attachment_id: z.string(), upload_url: z.string() })),
});

/** The outcome of a follow-up (run-lifecycle.md, "Follow-ups"). */
export const followupOutcome = z.enum([
  'live_session',
  'queued_prompt',
  'handoff_execution',
  'queue_pending',
]);
export const followupResponse = z.object({
  followup_id: z.string().nullable(),
  outcome: followupOutcome,
});
/** Older services answer `{}` (interface.md 4.2). */
export const followupAccepted = z.looseObject({
  followup_id: z.string().nullish(),
  outcome: z.string().optional(),
});
