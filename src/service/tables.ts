import type { ColumnType, Generated, GeneratedAlways, Kysely, Transaction } from 'kysely';
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

/** Written as JSON text, read as a value. */
type Json<T> = ColumnType<T, string, string>;
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
type Mode = 'normal' | 'plan' | 'orchestrate';

/** Messages from one run to another. */
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
  /** Whether the role comes from a GitHub organisation or team, which is asked again regularly. */
  from_github: Generated<boolean>;
  /** When GitHub last confirmed it, and when it was last asked. */
  checked_at: Date | null;
  asked_at: Date | null;
}

/** The audit log. Rows can only be added; a trigger refuses everything else (threats.md S22). */
export interface AuditEventsTable {
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  /** Null if it concerns the whole service. */
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

/** A key for a workflow's job; it expires by itself and is never changed. */
export interface WorkflowKeysTable {
  id: string;
  hash: Buffer;
  /** Hash of the token that it was given for; each token works once. */
  token_hash: Buffer;
  /** Id of the repository, the same for all its jobs and after a rename. */
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
  /** Skills besides this one, in the order in which the run named them. */
  others?: SkillRecord[] | undefined;
}

export interface RunsTable {
  id: string;
  /** For a personal run, its person's space (keys/spaces.ts). */
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
  /** For a personal run, its person. */
  owner_uid: string | null;
  /** The part of title and skill that lists are sorted by. */
  title_key: GeneratedAlways<string>;
  skill_key: GeneratedAlways<string | null>;
  /** The types of its artifacts, for the list's filter. */
  artifact_types: Generated<string[]>;
  lane: number | null;
  job_id: string | null;
  job_retry: Generated<number>;
  /** Number of the claim; each claim increases it. */
  attempt: Generated<number>;
  /** The last claim whose end was recorded. */
  ended_attempt: Generated<number>;
  /** How often a follow-up started a new execution after the run had ended. */
  reopened: Generated<number>;
  lease_hash: Buffer | null;
  lease_worker: string | null;
  last_signal: Generated<number>;
  cancel_signal: number | null;
  /** The last signal when it was claimed; follow-ups up to it started the execution. */
  claim_signal: Generated<number>;
  log_position: Generated<number>;
  log_next_seq: Generated<number>;
  resume: OptionalJson<ResumeRecord>;
  /** Number of changed lines, kept by a trigger; null if the run reported none. */
  lines_added: GeneratedAlways<number | null>;
  lines_removed: GeneratedAlways<number | null>;
}

/** One execution: from creation, or from a follow-up to the ended run, to its end. */
export interface ExecutionsTable {
  run_id: string;
  /** The first execution is 1. */
  number: number;
  /** Where the execution begins in the run's log; it goes on to where the next one begins. */
  log_from: number;
  queued_at: Date;
  /** When its worker began. */
  started_at: Date | null;
  ended_at: Date | null;
  worker_id: string | null;
  /** The agent program; set when the execution has ended. */
  harness: string | null;
  /** The state in which it ended. */
  outcome: TerminalState | null;
  status_message: OptionalJson<StatusMessage>;
  /** What the run had used by its end, all executions so far together. */
  usage: OptionalJson<RequestUsage>;
}

/**
 * The searchable text of each run (docs/api.md). A separate table, so that changes of the run do
 * not touch it.
 */
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
  /** Set if it stops the turn; its text is not given to the agent. */
  interrupt?: boolean | null;
  creator: Json<UserProfile>;
  created_at: Date;
  /** The claim that it was given to; null while unhandled. */
  taken_attempt: number | null;
}

/** An image for a follow-up. */
export interface RunAttachmentsTable {
  id: string;
  run_id: string;
  file_name: string;
  mime_type: string;
  /** Base64; null until it was uploaded. */
  data: string | null;
  /** The follow-up that it was sent with; null if not sent yet. */
  followup_id: string | null;
  /** Once sent: the order in which its follow-up named it. */
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

/** Like the keys of runs, for everything else; deleted after a day. */
export type MadeOnceTable = Omit<IdempotencyKeysTable, 'run_id'>;

export interface ArtifactsTable {
  uid: string;
  run_id: string;
  team_id: string;
  artifact_type: ArtifactItem['artifact_type'];
  created_at: Date;
  /** Reports with the same identity are the same artifact. */
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

/** The service's database, or a transaction on it. */
export type Db = Kysely<ServiceTables>;
export type Trx = Transaction<ServiceTables>;
