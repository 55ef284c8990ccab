import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Schedules, settings of identities, contents of artifacts, verdicts, skills, environments. */
export const resources: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `alter table identities add column settings jsonb not null default '{}'`,
  `create table schedules (
    id uuid primary key,
    team_id uuid not null references teams on delete cascade,
    name text not null,
    cron_schedule text not null,
    enabled boolean not null,
    prompt text not null,
    mode text,
    agent_uid uuid,
    config jsonb not null,
    metadata jsonb not null,
    created_by jsonb not null,
    updated_by jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    last_ran timestamptz(3),
    next_run timestamptz(3),
    last_spawn_error text
  )`,
  `create index schedules_of_team on schedules (team_id, name)`,
  `create index schedules_due on schedules (next_run) where next_run is not null`,
  `create index runs_of_schedule on runs (schedule_id, created_at desc) where schedule_id is not null`,
  `create index runs_of_environment on runs (environment_id, created_at desc) where environment_id is not null`,
  `create table environments (
    id text primary key,
    fingerprint text not null,
    last_updated timestamptz(3) not null
  )`,
  `create table artifact_contents (
    uid uuid primary key references artifacts on delete cascade,
    public boolean not null,
    blob_key text,
    content text,
    content_type text not null,
    size_bytes bigint not null
  )`,
  // Contents in the store that no row refers to any more; the sweeper deletes them.
  `create table blob_garbage (
    key text primary key,
    delete_after timestamptz(3) not null
  )`,
  `create function discard_blob() returns trigger language plpgsql as $$
    begin
      if old.blob_key is not null and (tg_op = 'DELETE' or old.blob_key is distinct from new.blob_key) then
        insert into blob_garbage (key, delete_after) values (old.blob_key, now())
          on conflict (key) do nothing;
      end if;
      return null;
    end $$`,
  `create trigger artifact_contents_discard after update or delete on artifact_contents
    for each row execute function discard_blob()`,
  `create table judgements (
    run_id uuid not null references runs on delete cascade,
    scorer_id integer not null,
    scorer_name text not null,
    labels jsonb not null,
    attempt integer not null,
    judge_run_id uuid not null,
    dispatched_at timestamptz(3) not null,
    classification text,
    reason text,
    failed boolean not null default false,
    scored_at timestamptz(3),
    primary key (run_id, scorer_id)
  )`,
  `create index judgements_of_judge on judgements (judge_run_id)`,
  `create table skill_sources (
    id uuid primary key,
    owner text not null,
    name text not null,
    clone_url text not null,
    ref text not null,
    requested_at timestamptz(3) not null,
    discovered_at timestamptz(3),
    error text,
    token_hash bytea,
    claimed_until timestamptz(3),
    unique (clone_url, ref)
  )`,
  `create table skills (
    source_id uuid not null references skill_sources on delete cascade,
    path text not null,
    name text not null,
    description text not null,
    content text not null,
    error text,
    primary key (source_id, path)
  )`,
  `create index runs_of_skill on runs (skill_spec, created_at desc) where skill_spec is not null`,
];
