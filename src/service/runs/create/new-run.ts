import { hash, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { AgentConfig } from '../../../contract/agent-config.ts';
import type { UserProfile } from '../../../contract/primitives.ts';
import type { RunSource } from '../../../contract/run.ts';
import type { Attachment, RunsTable, SkillRecord } from '../../tables.ts';

/** Where a run waits: the lane of its team and worker host, and in it the track of its agent. */
export interface QueuePlace {
  lane: number;
  /** The job's priority, so that pg-boss's index gives a claim exactly its own jobs, in order. */
  track: number;
}

/** A run before it is stored. */
export interface NewRun {
  id?: string;
  /** Its team, or for a personal run the person's space. */
  teamId: string;
  ownerUid?: string | undefined;
  prompt: string;
  title: string;
  mode: 'normal' | 'plan' | 'orchestrate';
  source: RunSource;
  config: AgentConfig;
  creator: UserProfile & { uid: string };
  executor: UserProfile & { uid: string };
  metadata: Record<string, string>;
  /** Undefined for a run that its caller executes. */
  place: QueuePlace | undefined;
  interactive?: boolean | undefined;
  attachments?: Attachment[] | undefined;
  skill?: SkillRecord | undefined;
  parent?: { runId: string; rootRunId: string } | undefined;
  conversationId?: string | undefined;
  schedule?: { schedule_id: string; schedule_name: string; cron_schedule: string } | undefined;
  triggerUrl?: string | undefined;
}

/**
 * Whether the caller executes runs of this source, so that no worker takes them (run-lifecycle.md,
 * "Runs that their caller executes").
 */
export function isExecutedByCaller(source: RunSource): boolean {
  return source === 'LOCAL' || source === 'GITHUB_ACTION';
}

export function skillSpecOf(config: AgentConfig): string | null {
  return config.skill_spec ?? config.skills?.[0] ?? null;
}

/**
 * The id of the conversation that a run begins. It differs from the ids of conversations that a run
 * continues.
 */
export function ownConversation(id: string): string {
  const [, ...parts] = CONVERSATION.exec(hash('sha256', `conversation ${id}`)) ?? [];
  const [first, second, third, fourth, last] = parts;
  return `${first}-${second}-4${third}-8${fourth}-${last}`;
}
const CONVERSATION = /^(.{8})(.{4})(.{3})(.{3})(.{12})/;

/** The configuration in the columns that lists filter by. */
function configColumns({ config, skill }: NewRun) {
  return {
    config,
    config_name: config.name ?? null,
    model_id: config.model_id ?? null,
    environment_id: config.environment_id ?? null,
    worker_host: config.worker_host ?? null,
    skill_spec: skillSpecOf(config),
    skill: skill ?? null,
  };
}

/** Where the run comes from and who owns it. */
function originColumns(id: string, run: NewRun) {
  const { parent, schedule, creator, executor, source } = run;
  return {
    root_run_id: parent?.rootRunId ?? id,
    parent_run_id: parent?.runId ?? null,
    conversation_id: run.conversationId ?? ownConversation(id),
    source,
    execution_location: isExecutedByCaller(source) ? ('LOCAL' as const) : ('REMOTE' as const),
    schedule: schedule ?? null,
    schedule_id: schedule?.schedule_id ?? null,
    trigger_url: run.triggerUrl ?? null,
    creator_uid: creator.uid,
    creator,
    executor_uid: executor.uid,
    executor,
  };
}

/**
 * The columns of a new run with their types in PostgreSQL, without the times, which the database
 * sets.
 */
export const NEW_RUN_COLUMNS = {
  id: 'uuid',
  team_id: 'uuid',
  root_run_id: 'uuid',
  parent_run_id: 'uuid',
  conversation_id: 'uuid',
  title: 'text',
  prompt: 'text',
  mode: 'text',
  state: 'text',
  source: 'text',
  execution_location: 'text',
  schedule: 'jsonb',
  schedule_id: 'uuid',
  trigger_url: 'text',
  creator_uid: 'text',
  creator: 'jsonb',
  executor_uid: 'text',
  executor: 'jsonb',
  config: 'jsonb',
  config_name: 'text',
  model_id: 'text',
  environment_id: 'text',
  skill_spec: 'text',
  skill: 'jsonb',
  worker_host: 'text',
  metadata: 'jsonb',
  attachments: 'jsonb',
  interactive: 'boolean',
  owner_uid: 'text',
  lane: 'integer',
  job_id: 'uuid',
  log_position: 'bigint',
} as const satisfies Partial<Record<keyof RunsTable, string>>;

/** A new row of `runs`. */
export type NewRow = Pick<Selectable<RunsTable>, keyof typeof NEW_RUN_COLUMNS>;
/** The same with its searchable text and the track of its job. */
export type NewRunRow = NewRow & { body: string; track: number | null };

export function rowOf(id: string, run: NewRun): NewRow {
  return {
    ...originColumns(id, run),
    ...configColumns(run),
    id,
    team_id: run.teamId,
    title: run.title,
    prompt: run.prompt,
    mode: run.mode,
    state: 'QUEUED',
    metadata: run.metadata,
    attachments: run.attachments ?? [],
    interactive: run.interactive ?? false,
    owner_uid: run.ownerUid ?? null,
    lane: run.place?.lane ?? null,
    job_id: run.place ? randomUUID() : null,
    log_position: 1,
  };
}
