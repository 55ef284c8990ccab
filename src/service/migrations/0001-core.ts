import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Teams, people, keys, runs, their log, follow-ups and artifacts. */
export const core: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
    await addTrigramSearch(db);
  },
};

/** Fuzzy search needs pg_trgm; if it cannot be installed, search falls back to plain matching. */
async function addTrigramSearch(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      create extension if not exists pg_trgm;
    exception when others then
      raise notice 'pg_trgm is not available: %', sqlerrm;
    end $$`.execute(db);
  const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db);
  if (rows.length === 0) return;
  await sql`
    create index runs_search on runs using gin (search_text gin_trgm_ops)`.execute(db);
}

/** Columns that lists filter by; each index serves its filter in the list's usual order. */
const FACETS = [
  'state',
  'config_name',
  'model_id',
  'creator_uid',
  'executor_uid',
  'source',
  'execution_location',
  'environment_id',
  'skill_spec',
  'schedule_id',
];
const ARTIFACT_TYPES = ['PLAN', 'PULL_REQUEST', 'SCREENSHOT', 'FILE', 'EXTERNAL_REFERENCE'];

const STATEMENTS = [
  `create table service_secrets (
    name text primary key,
    value text not null
  )`,
  `create table teams (
    id uuid primary key,
    name text not null unique,
    created_at timestamptz(3) not null
  )`,
  `create table users (
    id uuid primary key,
    name text not null unique,
    display_name text not null,
    email text,
    created_at timestamptz(3) not null
  )`,
  `create table memberships (
    team_id uuid not null references teams on delete cascade,
    user_id uuid not null references users on delete cascade,
    primary key (team_id, user_id)
  )`,
  `create table identities (
    uid uuid primary key,
    team_id uuid not null references teams on delete cascade,
    name text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    deleted_at timestamptz(3)
  )`,
  `create index identities_of_team on identities (team_id, created_at)`,
  `create table api_keys (
    id uuid primary key,
    hash bytea not null unique,
    kind text not null check (kind in ('personal', 'agent', 'worker', 'run')),
    name text not null,
    prefix text not null,
    suffix text not null,
    team_id uuid references teams on delete cascade,
    user_id uuid references users on delete cascade,
    agent_uid uuid,
    run_id uuid,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    expires_at timestamptz(3),
    revoked_at timestamptz(3)
  )`,
  `create index api_keys_of_user on api_keys (user_id) where user_id is not null`,
  `create index api_keys_of_agent on api_keys (agent_uid) where agent_uid is not null`,
  `create index api_keys_of_run on api_keys (run_id) where run_id is not null`,
  `create table lanes (
    id integer generated always as identity primary key,
    team_id uuid not null references teams on delete cascade,
    worker_host text not null,
    unique (team_id, worker_host)
  )`,
  `create table runs (
    id uuid primary key,
    team_id uuid not null references teams on delete cascade,
    root_run_id uuid not null,
    parent_run_id uuid,
    conversation_id uuid not null,
    title text not null,
    prompt text not null,
    mode text not null,
    state text not null check (state in ('QUEUED', 'PENDING', 'INPROGRESS', 'SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED')),
    status_message jsonb,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    queued_at timestamptz(3) not null,
    started_at timestamptz(3),
    finished_at timestamptz(3),
    source text not null,
    execution_location text not null,
    schedule jsonb,
    schedule_id uuid,
    trigger_url text,
    creator_uid text not null,
    creator jsonb not null,
    executor_uid text not null,
    executor jsonb not null,
    requester jsonb,
    usage jsonb,
    config jsonb not null,
    config_name text,
    model_id text,
    environment_id text,
    skill_spec text,
    skill jsonb,
    worker_host text,
    metadata jsonb not null,
    attachments jsonb not null,
    interactive boolean not null,
    search_text text not null,
    artifact_types text[] not null default '{}',
    lane integer references lanes,
    job_id uuid,
    job_retry integer not null default 0,
    attempt integer not null default 0,
    ended_attempt integer not null default 0,
    reopened integer not null default 0,
    lease_hash bytea,
    lease_worker text,
    last_signal integer not null default 0,
    cancel_signal integer,
    claim_signal integer not null default 0,
    log_position bigint not null default 0,
    log_next_seq integer not null default 1,
    resume jsonb
  ) with (fillfactor = 85)`,
  `create index runs_by_update on runs (team_id, updated_at desc, id desc) include (created_at, state, source)`,
  `create index runs_by_creation on runs (team_id, created_at desc, id desc) include (updated_at, state, source)`,
  `create index runs_by_title on runs (team_id, title, id) include (created_at, updated_at, state, source, model_id, environment_id)`,
  `create index runs_by_skill on runs (team_id, skill_spec, id) include (created_at, updated_at, state, source, model_id, environment_id)`,
  ...FACETS.map(
    (column) =>
      `create index runs_of_${column} on runs (team_id, ${column}, updated_at desc, id desc)`,
  ),
  ...ARTIFACT_TYPES.map(
    (type) =>
      `create index runs_with_${type.toLowerCase()} on runs (team_id, updated_at desc, id desc) where artifact_types @> '{${type}}'::text[]`,
  ),
  `create index runs_queued on runs (lane, queued_at) where state = 'QUEUED'`,
  `create index runs_claimed on runs (state) where state in ('PENDING', 'INPROGRESS')`,
  `create index runs_of_root on runs (root_run_id, updated_at desc, id desc)`,
  `create index runs_of_parent on runs (parent_run_id) where parent_run_id is not null`,
  `create index runs_of_conversation on runs (conversation_id)`,
  `create table run_metadata (
    run_id uuid not null references runs on delete cascade,
    team_id uuid not null,
    key text not null,
    value text not null,
    primary key (run_id, key)
  )`,
  `create index run_metadata_pairs on run_metadata (team_id, key, value, run_id)`,
  `create table run_events (
    run_id uuid not null references runs on delete cascade,
    position bigint not null,
    attempt integer not null,
    seq integer,
    type text not null,
    at timestamptz(3) not null,
    entry_key text,
    data jsonb not null,
    raw text,
    primary key (run_id, position)
  )`,
  `create unique index run_events_once on run_events (run_id, attempt, seq) where seq is not null`,
  `create index run_events_of_entry on run_events (run_id, attempt, entry_key, position) where entry_key is not null`,
  `create index run_events_of_timeline on run_events (run_id, position) where type in ('lifecycle', 'setup', 'agent_started')`,
  `create index run_events_of_type on run_events (run_id, type, position) where type in ('plan', 'changes', 'agent_started')`,
  `create table run_followups (
    id uuid primary key,
    run_id uuid not null references runs on delete cascade,
    signal integer not null,
    message text not null,
    mode text not null,
    creator jsonb not null,
    created_at timestamptz(3) not null,
    taken_attempt integer,
    unique (run_id, signal)
  )`,
  `create table idempotency_keys (
    team_id uuid not null references teams on delete cascade,
    principal text not null,
    key text not null,
    body_hash bytea not null,
    run_id uuid not null references runs on delete cascade deferrable initially deferred,
    answer json not null,
    created_at timestamptz(3) not null,
    primary key (team_id, principal, key)
  )`,
  `create index idempotency_keys_of_run on idempotency_keys (run_id)`,
  `create table artifacts (
    uid uuid primary key,
    run_id uuid not null references runs on delete cascade,
    team_id uuid not null,
    artifact_type text not null,
    created_at timestamptz(3) not null,
    identity text not null,
    locator text,
    data jsonb not null,
    unique (run_id, artifact_type, identity)
  )`,
  `create index artifacts_by_locator on artifacts (team_id, locator, created_at desc) where locator is not null`,
  `create index artifacts_of_run on artifacts (run_id, created_at)`,
  `create table workers (
    key_id uuid not null,
    worker_id text not null,
    team_id uuid references teams on delete cascade,
    worker_host text,
    harnesses jsonb not null,
    sandbox text,
    version text,
    capacity integer not null,
    connected_at timestamptz(3) not null,
    last_seen_at timestamptz(3) not null,
    primary key (key_id, worker_id)
  )`,
  `create index workers_by_host on workers (team_id, worker_host, last_seen_at)`,
];
