import type { ColumnType, Generated } from 'kysely';
import type { AgentConfig } from '../contract/agent-config.ts';
import type { Identity } from '../contract/identity.ts';
import type { UserProfile } from '../contract/primitives.ts';
import type { RunMode } from '../contract/run.ts';

/** Written as JSON text, read as a value. */
type Json<T> = ColumnType<T, string, string>;

/** An identity's settings; a missing one was never set, or was cleared. */
export type IdentitySettings = Partial<
  Omit<Identity, 'uid' | 'name' | 'available' | 'created_at' | 'updated_at'>
>;

export interface SchedulesTable {
  id: string;
  team_id: string;
  name: string;
  cron_schedule: string;
  enabled: boolean;
  prompt: string;
  mode: RunMode | null;
  /** The agent that its runs execute as. */
  agent_uid: string | null;
  config: Json<AgentConfig>;
  metadata: Json<Record<string, string>>;
  created_by: Json<UserProfile>;
  updated_by: Json<UserProfile>;
  created_at: Date;
  updated_at: Date;
  last_ran: Date | null;
  /** The next firing, and the only one that may start a run; null while paused. */
  next_run: Date | null;
  last_spawn_error: string | null;
}

export interface EnvironmentsTable {
  id: string;
  /** Hash of its configuration, to notice changes. */
  fingerprint: string;
  last_updated: Date;
}

export interface ArtifactContentsTable {
  uid: string;
  public: boolean;
  /** For a file: its key in the content store. */
  blob_key: string | null;
  /** For a plan: the content itself. */
  content: string | null;
  content_type: string;
  size_bytes: number;
}

export interface JudgementsTable {
  run_id: string;
  scorer_id: number;
  scorer_name: string;
  /** The labels that the judge may choose from, as they were when it was started. */
  labels: Json<string[]>;
  /** Number of the judged claim. */
  attempt: number;
  judge_run_id: string;
  dispatched_at: Date;
  classification: string | null;
  reason: string | null;
  failed: Generated<boolean>;
  scored_at: Date | null;
}

export interface SkillSourcesTable {
  id: string;
  owner: string;
  name: string;
  clone_url: string;
  /** Empty for the remote's default branch. */
  ref: string;
  /** The source must be read while this is later than `discovered_at`. */
  requested_at: Date;
  discovered_at: Date | null;
  error: string | null;
  token_hash: Buffer | null;
  claimed_until: Date | null;
}

export interface SkillsTable {
  source_id: string;
  path: string;
  name: string;
  description: string;
  /** The text below the front matter. */
  content: string;
  error: string | null;
}

/** All tables except those of runs. */
export interface ResourceTables {
  schedules: SchedulesTable;
  environments: EnvironmentsTable;
  artifact_contents: ArtifactContentsTable;
  blob_garbage: { key: string; delete_after: Date };
  judgements: JudgementsTable;
  skill_sources: SkillSourcesTable;
  skills: SkillsTable;
}
