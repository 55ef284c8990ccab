import type { ColumnType, Generated, GeneratedAlways, Kysely } from 'kysely';
import type { Tell } from '../../commands/face.ts';
import type { CreateRunRequest, RunRead } from '../../contract/run.ts';
import type { Reason } from '../../github/decide/reason.ts';
import type { ReportedPullRequest } from '../../github/read/pull-requests.ts';
import type { Progress } from '../../github/render/progress.ts';
import type { Post } from '../../github/write/post.ts';

/** Written as text (`jsonText`), read as the value. */
type Json<T> = ColumnType<T, string, string>;
type OptionalJson<T> = ColumnType<T | null, string | undefined, string | null>;

interface DeliveriesTable {
  id: GeneratedAlways<number>;
  guid: string;
  event: string;
  action: string | null;
  installation_id: number;
  thread: string;
  object_id: string | null;
  body: string | null;
  received_at: Generated<Date>;
  finished_at: Date | null;
  reasons: Reason[] | null;
  attempts: Generated<number>;
  faults: Generated<number>;
  waits: Generated<number>;
  run_at: Generated<Date>;
  owner: string | null;
  owner_until: Date | null;
}

/** The stored form of a decision: the body of the new run, or the message to a run. */
export type RequestBody = CreateRunRequest | ({ run_id: string } & Omit<Tell, 'runId'>);

interface RequestsTable {
  id: string;
  installation_id: number;
  repository: string;
  number: number;
  actor: string;
  command: string;
  body: OptionalJson<RequestBody>;
  tried_at: Date | null;
  run_id: string | null;
  outcome: Reason | null;
  created_at: Generated<Date>;
}

interface RunsTable {
  run_id: string;
  request_id: string;
  installation_id: number;
  /** `owner/name` of the thread where it was asked for. */
  repository: string;
  number: number;
  actor: string;
  state: string;
  live: Generated<boolean>;
  run: Json<RunRead>;
  /** Commit that the run is pinned to, if it was asked for on a pull request. */
  head_sha: string | null;
  seen_at: Generated<Date>;
  /** Since when the service answers 404 for it. */
  missing_since: Date | null;
  /** The agent's last words, read when the run ended. */
  final_message: string | null;
  stale: Generated<boolean>;
  /** Its progress when that was last read. */
  progress: OptionalJson<Progress>;
  looked_at: Date | null;
  /** The artifact with the newest review that was handled, and what was wrong with it. */
  review_artifact: string | null;
  review_fault: string | null;
  created_at: Generated<Date>;
}

interface RunThreadsTable {
  run_id: string;
  repository: string;
  number: number;
  is_pull_request: boolean;
  reply_to: string | null;
  actor: string;
  asked: boolean;
  head_sha: string | null;
  created_at: Generated<Date>;
}

interface PullsTable {
  url: string;
  run_id: string;
  repository: string;
  number: number;
  title: string | null;
  head_sha: string | null;
  state: Generated<ReportedPullRequest['state']>;
  /** When it was reported as the run's external reference. */
  linked_at: Date | null;
}

interface PostsTable {
  id: GeneratedAlways<number>;
  key: string;
  kind: Post['kind'];
  installation_id: number;
  repository: string;
  number: number;
  target: Json<Post['target']>;
  content: Json<Post['content']>;
  digest: string;
  version: Generated<number>;
  written: Generated<number>;
  remote_id: string | null;
  tried_at: Date | null;
  attempts: Generated<number>;
  run_at: Generated<Date>;
  failure: string | null;
  for_stranger: Generated<boolean>;
  passing: Generated<boolean>;
  gone: Generated<boolean>;
  edited_at: Date | null;
  created_at: Generated<Date>;
}

interface InstallationsTable {
  id: number;
  owner: string | null;
  owner_until: Date | null;
  blocked_until: Date | null;
  suspended: Generated<boolean>;
  gone_at: Date | null;
}

/** Every table of the App's schema `app` (migrations.ts). */
export interface AppTables {
  deliveries: DeliveriesTable;
  requests: RequestsTable;
  runs: RunsTable;
  run_threads: RunThreadsTable;
  pulls: PullsTable;
  posts: PostsTable;
  installations: InstallationsTable;
  repositories: { id: string; name: string; installation_id: number };
  writes: { installation_id: number; at: Generated<Date> };
  leases: { name: string; owner: string; until: Date };
  facts: { name: string; value: Json<unknown> };
  configs: {
    repository: string;
    etag: string | null;
    good: string | null;
    checked_at: Generated<Date>;
  };
}

/** The App's database, or a transaction on it. */
export type AppDb = Kysely<AppTables>;
