import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { TrustEntry } from '../config/trust.ts';
import type { AgentConfig } from '../contract/agent-config.ts';
import type { ArtifactItem } from '../contract/artifact.ts';
import type { KeyKind } from '../contract/endpoint.ts';
import type { AuditAction, AuditEvent } from '../contract/people.ts';
import type { UserProfile } from '../contract/primitives.ts';
import type { Role } from '../contract/role.ts';
import type {
  RequestUsage,
  RunSource,
  RunState,
  StatusMessage,
  TerminalState,
} from '../contract/run.ts';
import type { IdentitySettings, ResourceTables } from './resource-tables.ts';
import type { SessionsTables } from './sessions/sessions-tables.ts';

/** Written as JSON text, read as the value. */
type Json<T> = ColumnType<T, string, string>;
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
type Mode = 'normal' | 'plan' | 'orchestrate';

/** What one run was told by another. */
export interface RunMessagesTable {
  id: string;
  run_id: string;
  sender_run_id: string;
  subject: string;
  body: string;
  sent_at: Date;
  delivered_at: Date | null;
  read_at: Date | null;
}

export interface TeamsTable {
  id: string;
  name: string;
  created_at: Date;
}

export interface UsersTable {
  id: string;
  name: string;
  display_name: string;
  email: string | null;
  created_at: Date;
  github_login: Generated<string | null>;
}

export interface MembershipsTable {
  team_id: string;
  user_id: string;
  role: Generated<Role>;
  /** Given by an organisation or team of GitHub, which is asked again now and then. */
  from_github: Generated<boolean>;
  /** When GitHub last said so, and when it was last asked. */
  checked_at: Date | null;
  asked_at: Date | null;
}

/** It only grows: a trigger refuses everything else (threats.md S22). */
export interface AuditEventsTable {
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  /** Null for what is about the whole service. */
  team_id: string | null;
  actor_type: AuditEvent['actor']['type'];
  actor_uid: string | null;
  actor_name: string;
  address: string | null;
  action: AuditAction;
  object_type: AuditEvent['object']['type'];
  object_id: string | null;
  object_name: string;
  details: Json<Record<string, string>>;
}

export interface ApiKeysTable {
  id: string;
  hash: Buffer;
  kind: KeyKind;
  name: string;
  prefix: string;
  suffix: string;
  /** Null for the worker built into this service, which serves every team. */
  team_id: string | null;
  user_id: string | null;
  agent_uid: string | null;
  run_id: string | null;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

/** A key for the job of a workflow; it ends by itself and is never changed. */
export interface WorkflowKeysTable {
  id: string;
  hash: Buffer;
  /** Of the token it was given for: each is good once. */
  token_hash: Buffer;
  /** The repository, the same for all its jobs whatever its name. */
  subject: string;
  name: string;
  team_id: string;
  role: TrustEntry['role'];
  expires_at: Date;
}

export interface IdentitiesTable {
  uid: string;
  team_id: string;
  name: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  settings: ColumnType<IdentitySettings, string | undefined, string>;
}

/** What an execution leaves for the next one of the same run. */
export interface ResumeRecord {
  session_id?: string | undefined;
  branch?: string | undefined;
  pull_request_url?: string | undefined;
  worker_id?: string | undefined;
}

/** An image the run was started with. */
export interface Attachment {
  file_name: string;
  mime_type: string;
  data: string;
}

export interface SkillRecord {
  name: string;
  path: string;
  content: string;
  description?: string | undefined;
  /** What a run was started with beside this one, in the order it named them. */
  others?: SkillRecord[] | undefined;
}

export interface RunsTable {
  id: string;
  /** Of a personal run, the space of its person (keys/spaces.ts). */
  team_id: string;
  root_run_id: string;
  parent_run_id: string | null;
  conversation_id: string;
  title: string;
  prompt: string;
  mode: Mode;
  state: RunState;
  status_message: OptionalJson<StatusMessage>;
  created_at: Date;
  updated_at: Date;
  /** When it last entered QUEUED. */
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  source: RunSource;
  execution_location: 'LOCAL' | 'REMOTE';
  schedule: OptionalJson<{ schedule_id: string; schedule_name: string; cron_schedule: string }>;
  schedule_id: string | null;
  trigger_url: string | null;
  creator_uid: string;
  creator: Json<UserProfile>;
  executor_uid: string;
  executor: Json<UserProfile>;
  requester: OptionalJson<{ name: string; email: string }>;
  usage: OptionalJson<RequestUsage>;
  config: Json<AgentConfig>;
  config_name: string | null;
  model_id: string | null;
  environment_id: string | null;
  skill_spec: string | null;
  skill: OptionalJson<SkillRecord>;
  worker_host: string | null;
  metadata: Json<Record<string, string>>;
  attachments: Json<Attachment[]>;
  interactive: boolean;
  /** Of a personal run, its person. */
  owner_uid: string | null;
  /** As much of title and skill as lists are sorted by. */
  title_key: GeneratedAlways<string>;
  skill_key: GeneratedAlways<string | null>;
  /** Which types of artifact it has, for the list's filter. */
  artifact_types: Generated<string[]>;
  lane: number | null;
  job_id: string | null;
  job_retry: Generated<number>;
  /** Execution number; raised by each claim. */
  attempt: Generated<number>;
  /** The last execution whose end was recorded. */
  ended_attempt: Generated<number>;
  /** How often a follow-up started a new execution after the run had ended. */
  reopened: Generated<number>;
  lease_hash: Buffer | null;
  lease_worker: string | null;
  last_signal: Generated<number>;
  cancel_signal: number | null;
  /** The last signal there was when it was claimed: follow-ups up to it started the execution. */
  claim_signal: Generated<number>;
  log_position: Generated<number>;
  log_next_seq: Generated<number>;
  resume: OptionalJson<ResumeRecord>;
  /** Of what it has changed, kept by a trigger; null where it has not told. */
  lines_added: GeneratedAlways<number | null>;
  lines_removed: GeneratedAlways<number | null>;
}

/** One time through the queue: from the creation, or from a follow-up to the ended run, to its end. */
export interface ExecutionsTable {
  run_id: string;
  /** 1 for the first. */
  number: number;
  /** Its first place in the run's log: all from there to the next execution's is of this one. */
  log_from: number;
  queued_at: Date;
  /** When its worker began. */
  started_at: Date | null;
  ended_at: Date | null;
  worker_id: string | null;
  /** Which agent program worked; known here once it has ended. */
  harness: string | null;
  /** The state it ended in. */
  outcome: TerminalState | null;
  status_message: OptionalJson<StatusMessage>;
  /** What the run had used by its end, all executions until then together. */
  usage: OptionalJson<RequestUsage>;
}

/** What the search looks at (docs/api.md), apart from the run so that changes of the run leave it alone. */
export interface RunTextsTable {
  run_id: string;
  body: string;
}

export interface RunMetadataTable {
  run_id: string;
  team_id: string;
  key: string;
  value: string;
}

export interface RunEventsTable {
  run_id: string;
  position: number;
  attempt: number;
  seq: number | null;
  type: string;
  at: Date;
  entry_key: string | null;
  data: Json<Record<string, unknown>>;
  raw: string | null;
}

export interface RunFollowupsTable {
  id: string;
  run_id: string;
  signal: number;
  message: string;
  mode: Mode;
  /** It stops the turn instead of being said. */
  interrupt?: boolean | null;
  creator: Json<UserProfile>;
  created_at: Date;
  /** The execution that was told; null while none has acted on it. */
  taken_attempt: number | null;
}

/** An image for a follow-up. */
export interface RunAttachmentsTable {
  id: string;
  run_id: string;
  file_name: string;
  mime_type: string;
  /** Base64; null until it was sent. */
  data: string | null;
  /** The follow-up that it came with; null while none names it. */
  followup_id: string | null;
  /** Of those that came with a follow-up in the order in which it names them. */
  created_at: Generated<Date>;
}

export interface IdempotencyKeysTable {
  team_id: string;
  principal: string;
  key: string;
  body_hash: Buffer;
  run_id: string;
  answer: Json<unknown>;
  created_at: Date;
}

/** Like the keys of runs, of what is no run; swept after a day. */
export type MadeOnceTable = Omit<IdempotencyKeysTable, 'run_id'>;

export interface ArtifactsTable {
  uid: string;
  run_id: string;
  team_id: string;
  artifact_type: ArtifactItem['artifact_type'];
  created_at: Date;
  /** What makes a second report of the same thing the same artifact. */
  identity: string;
  /** Canonical URL of an EXTERNAL_REFERENCE. */
  locator: string | null;
  data: Json<Record<string, unknown>>;
}

export interface WorkersTable {
  key_id: string;
  worker_id: string;
  team_id: string | null;
  worker_host: string | null;
  harnesses: Json<string[]>;
  environments: OptionalJson<string[]>;
  sandbox: string | null;
  version: string | null;
  capacity: number;
  slots: number | null;
  connected_at: Date;
  last_seen_at: Date;
}

/** Every table of the service's schema. */
export interface ServiceTables extends ResourceTables, SessionsTables {
  service_secrets: { name: string; value: string };
  teams: TeamsTable;
  users: UsersTable;
  spaces: { id: string; team_id: string; user_id: string };
  memberships: MembershipsTable;
  github_accounts: { github_id: string; user_id: string };
  removed_members: { team_id: string; user_id: string; removed_at: Generated<Date> };
  audit_events: AuditEventsTable;
  api_keys: ApiKeysTable;
  identities: IdentitiesTable;
  workflow_keys: WorkflowKeysTable;
  lanes: { id: GeneratedAlways<number>; team_id: string; worker_host: string };
  tracks: { id: Generated<number>; lane: number; harness: string };
  runs: RunsTable;
  executions: ExecutionsTable;
  run_texts: RunTextsTable;
  search_words: { word: string };
  run_metadata: RunMetadataTable;
  run_events: RunEventsTable;
  run_followups: RunFollowupsTable;
  run_attachments: RunAttachmentsTable;
  run_messages: RunMessagesTable;
  idempotency_keys: IdempotencyKeysTable;
  made_once: MadeOnceTable;
  artifacts: ArtifactsTable;
  workers: WorkersTable;
}
