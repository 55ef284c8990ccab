import type { ColumnType, Generated } from 'kysely';
import type { AgentConfig } from '../contract/agent-config.ts';
import type { Identity } from '../contract/identity.ts';
import type { UserProfile } from '../contract/primitives.ts';
import type { RunMode } from '../contract/run.ts';

/** Written as JSON text, read as the value. */
type Json<T> = ColumnType<T, string, string>;

/** What an identity was given; what is missing was never set or cleared. */
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
  /** The agent its runs execute as. */
  agent_uid: string | null;
  config: Json<AgentConfig>;
  metadata: Json<Record<string, string>>;
  created_by: Json<UserProfile>;
  updated_by: Json<UserProfile>;
  created_at: Date;
  updated_at: Date;
  last_ran: Date | null;
  /** The only moment that may start a run next; null while paused. */
  next_run: Date | null;
  last_spawn_error: string | null;
}

export interface EnvironmentsTable {
  id: string;
  /** Of its configuration, to see when that changes. */
  fingerprint: string;
  last_updated: Date;
}

export interface ArtifactContentsTable {
  uid: string;
  public: boolean;
  /** Of a file: where the content store has it. */
  blob_key: string | null;
  /** Of a plan: the content itself. */
  content: string | null;
  content_type: string;
  size_bytes: number;
}

export interface JudgementsTable {
  run_id: string;
  scorer_id: number;
  scorer_name: string;
  /** What the judge may answer, as it was when the judge was sent. */
  labels: Json<string[]>;
  /** Which execution of the run is judged. */
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
  /** A discovery is due while this is later than `discovered_at`. */
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

/** Tables of everything but runs. */
export interface ResourceTables {
  schedules: SchedulesTable;
  environments: EnvironmentsTable;
  artifact_contents: ArtifactContentsTable;
  blob_garbage: { key: string; delete_after: Date };
  judgements: JudgementsTable;
  skill_sources: SkillSourcesTable;
  skills: SkillsTable;
}
