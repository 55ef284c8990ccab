import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const initial: Migration = {
  async up(db) {
    await sql`
      create table app.deliveries (
        id bigint generated always as identity primary key,
        guid text not null unique,
        event text not null,
        action text,
        installation_id bigint not null,
        thread text not null,
        object_id text unique,
        body text,
        received_at timestamptz not null default now(),
        finished_at timestamptz,
        reason text,
        attempts integer not null default 0,
        run_at timestamptz not null default now(),
        owner text,
        owner_until timestamptz
      )`.execute(db);
    await sql`create index deliveries_order on app.deliveries (thread, id) where finished_at is null`.execute(
      db,
    );
    await sql`create index deliveries_waiting on app.deliveries (id) where finished_at is null`.execute(
      db,
    );
    await sql`create index deliveries_finished on app.deliveries (finished_at) where finished_at is not null`.execute(
      db,
    );
    await sql`
      create table app.requests (
        id text primary key,
        installation_id bigint not null,
        repository text not null,
        number integer not null,
        actor text not null,
        command text not null,
        body jsonb,
        tried_at timestamptz,
        run_id text,
        outcome text,
        created_at timestamptz not null default now()
      )`.execute(db);
    await sql`create index requests_thread on app.requests (repository, number, created_at)`.execute(
      db,
    );
    await sql`
      create table app.runs (
        run_id text primary key,
        request_id text not null,
        installation_id bigint not null,
        repository text not null,
        number integer not null,
        actor text not null,
        state text not null,
        live boolean not null default true,
        run jsonb not null,
        head_sha text,
        seen_at timestamptz not null default now(),
        missing_since timestamptz,
        final_message text,
        stale boolean not null default true,
        created_at timestamptz not null default now()
      )`.execute(db);
    await sql`create index runs_live on app.runs (run_id) where live`.execute(db);
    await sql`create index runs_stale on app.runs (run_id) where stale`.execute(db);
    await sql`create index runs_thread on app.runs (repository, number, created_at)`.execute(db);
    await sql`
      create table app.run_threads (
        run_id text not null references app.runs on delete cascade,
        repository text not null,
        number integer not null,
        is_pull_request boolean not null,
        reply_to text,
        actor text not null,
        asked boolean not null,
        primary key (run_id, repository, number)
      )`.execute(db);
    await sql`create index run_threads_thread on app.run_threads (repository, number)`.execute(db);
    await sql`
      create table app.pulls (
        url text primary key,
        run_id text not null references app.runs on delete cascade,
        repository text not null,
        number integer not null,
        title text,
        head_sha text,
        state text not null default 'unknown',
        linked_at timestamptz,
        unique (repository, number)
      )`.execute(db);
    await sql`create index pulls_run on app.pulls (run_id)`.execute(db);
    await sql`
      create table app.posts (
        id bigint generated always as identity primary key,
        key text not null unique,
        kind text not null,
        installation_id bigint not null,
        repository text not null,
        number integer not null,
        target jsonb not null,
        content jsonb not null,
        digest text not null,
        version integer not null default 1,
        written integer not null default 0,
        remote_id text,
        tried_at timestamptz,
        attempts integer not null default 0,
        run_at timestamptz not null default now(),
        failure text,
        created_at timestamptz not null default now()
      )`.execute(db);
    await sql`create index posts_waiting on app.posts (installation_id, id) where written < version`.execute(
      db,
    );
    await sql`
      create table app.installations (
        id bigint primary key,
        owner text,
        owner_until timestamptz,
        blocked_until timestamptz,
        suspended boolean not null default false
      )`.execute(db);
    await sql`
      create table app.writes (
        installation_id bigint not null,
        at timestamptz not null default clock_timestamp()
      )`.execute(db);
    await sql`create index writes_recent on app.writes (installation_id, at)`.execute(db);
    await sql`
      create table app.leases (
        name text primary key,
        owner text not null,
        until timestamptz not null
      )`.execute(db);
    await sql`create table app.facts (name text primary key, value jsonb not null)`.execute(db);
    await sql`
      create table app.configs (
        repository text primary key,
        etag text,
        good text,
        checked_at timestamptz not null default now()
      )`.execute(db);
  },
  async down(db) {
    await sql`drop schema app cascade`.execute(db);
  },
};

/** Each review thread in which a run was asked for gets its own answer. */
const reviewThreads: Migration = {
  async up(db) {
    await sql`
      alter table app.run_threads
        add column created_at timestamptz not null default clock_timestamp(),
        drop constraint run_threads_pkey`.execute(db);
    await sql`
      create unique index run_threads_place
      on app.run_threads (run_id, repository, number, coalesce(reply_to, ''))`.execute(db);
    await sql`create index requests_run on app.requests (run_id) where run_id is not null`.execute(
      db,
    );
  },
};

/**
 * Payloads are kept only briefly, so fast compression beats strong compression, if the server has
 * lz4.
 */
const quickCompression: Migration = {
  async up(db) {
    await sql`
      do $$ begin
        alter table app.deliveries alter column body set compression lz4;
      exception when feature_not_supported then null;
      end $$`.execute(db);
  },
};

/**
 * Counts tries that failed through our fault or through an outage apart from those in which the
 * process died; knows a repository by its id, whatever its name.
 */
const identities: Migration = {
  async up(db) {
    await sql`
      alter table app.deliveries
        add column faults integer not null default 0,
        add column waits integer not null default 0`.execute(db);
    await sql`
      create table app.repositories (
        id bigint primary key,
        name text not null,
        installation_id bigint not null
      )`.execute(db);
    await sql`alter table app.installations add column gone_at timestamptz`.execute(db);
  },
};

/** A delivery may have several outcomes, each with its own code. */
const reasons: Migration = {
  async up(db) {
    await sql`alter table app.deliveries add column reasons text[]`.execute(db);
  },
};

/** Marks replies to people who may not give commands (threats.md G16). */
const strangers: Migration = {
  async up(db) {
    await sql`
      alter table app.posts add column for_stranger boolean not null default false`.execute(db);
  },
};

/**
 * Stores a run's progress and when it was looked at; when a post was last edited, whether it shows
 * a passing state, and whether somebody deleted it.
 */
const progress: Migration = {
  async up(db) {
    await sql`alter table app.runs add column progress jsonb, add column looked_at timestamptz`.execute(
      db,
    );
    await sql`
      alter table app.posts
        add column edited_at timestamptz,
        add column passing boolean not null default false,
        add column gone boolean not null default false`.execute(db);
  },
};

/** Stores the outcome of a run's review, and the commit that the run was asked about. */
const reviews: Migration = {
  async up(db) {
    await sql`
      alter table app.runs add column review_artifact text, add column review_fault text`.execute(
      db,
    );
    await sql`alter table app.run_threads add column head_sha text`.execute(db);
  },
};

/**
 * Every migration of the App's schema `app`, in the order of their names. A published one never
 * changes.
 */
export const appMigrations: Record<string, Migration> = {
  '0001_initial': initial,
  '0002_review_threads': reviewThreads,
  '0003_quick_compression': quickCompression,
  '0004_identities': identities,
  '0005_reasons': reasons,
  '0006_strangers': strangers,
  '0007_progress': progress,
  '0008_reviews': reviews,
};
