import type { Generated, GeneratedAlways, Kysely } from 'kysely';
import type { Reason } from '../../github/decide/reason.ts';

/** PostgreSQL's `bigint`, which is read as text unless a statement makes a number of it. */
type Int8 = number;

interface DeliveriesTable {
  id: GeneratedAlways<Int8>;
  guid: string;
  event: string;
  action: string | null;
  installation_id: Int8;
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

interface RequestsTable {
  id: string;
  installation_id: Int8;
  repository: string;
  number: number;
  actor: string;
  command: string;
  body: unknown;
  tried_at: Date | null;
  run_id: string | null;
  outcome: Reason | null;
  created_at: Generated<Date>;
}

interface RunsTable {
  run_id: string;
  request_id: string;
  installation_id: Int8;
  repository: string;
  number: number;
  actor: string;
  state: string;
  live: Generated<boolean>;
  run: unknown;
  head_sha: string | null;
  seen_at: Generated<Date>;
  missing_since: Date | null;
  final_message: string | null;
  stale: Generated<boolean>;
  progress: unknown;
  looked_at: Date | null;
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
  state: Generated<string>;
  linked_at: Date | null;
}

interface PostsTable {
  id: GeneratedAlways<Int8>;
  key: string;
  kind: string;
  installation_id: Int8;
  repository: string;
  number: number;
  target: unknown;
  content: unknown;
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
  id: Int8;
  owner: string | null;
  owner_until: Date | null;
  blocked_until: Date | null;
  suspended: Generated<boolean>;
  gone_at: Date | null;
}

/** Every table of the App's schema `app` (migrations.ts). */
export interface AppTables {
  'app.deliveries': DeliveriesTable;
  'app.requests': RequestsTable;
  'app.runs': RunsTable;
  'app.run_threads': RunThreadsTable;
  'app.pulls': PullsTable;
  'app.posts': PostsTable;
  'app.installations': InstallationsTable;
  'app.repositories': { id: Int8; name: string; installation_id: Int8 };
  'app.writes': { installation_id: Int8; at: Generated<Date> };
  'app.leases': { name: string; owner: string; until: Date };
  'app.facts': { name: string; value: unknown };
  'app.configs': {
    repository: string;
    etag: string | null;
    good: string | null;
    checked_at: Generated<Date>;
  };
}

/** The App's database, or a transaction on it. */
export type AppDb = Kysely<AppTables>;
