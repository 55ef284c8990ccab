import { sql, type Kysely } from 'kysely';

/** Roles, GitHub accounts, details of sign-ins, and the audit log (threats.md S22). */
export const people = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `alter table users add column github_login text`,
  // By the account's number, which survives a rename and is never reused.
  `create table github_accounts (
    github_id text primary key,
    user_id uuid not null unique references users on delete cascade
  )`,
  `alter table memberships
    add column role text not null default 'member' check (role in ('owner', 'member', 'reader')),
    add column from_github boolean not null default false,
    add column checked_at timestamptz,
    add column asked_at timestamptz`,
  // So far everybody could do everything, so the earliest person becomes the owner.
  `update memberships m set role = 'owner' where m.user_id = (
    select f.user_id from memberships f join users u on u.id = f.user_id
    where f.team_id = m.team_id order by u.created_at, u.id limit 1)`,
  `create table removed_members (
    team_id uuid not null references teams on delete cascade,
    user_id uuid not null references users on delete cascade,
    removed_at timestamptz not null default now(),
    primary key (team_id, user_id)
  )`,
  `alter table sessions
    add column id uuid not null default gen_random_uuid(),
    add column via text,
    add column browser text,
    add column address text,
    add column last_seen_at timestamptz`,
  `create table audit_events (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    team_id uuid,
    actor_type text not null,
    actor_uid text,
    actor_name text not null,
    address text,
    action text not null,
    object_type text not null,
    object_id text,
    object_name text not null,
    details jsonb not null
  )`,
  `create index audit_events_of_team on audit_events (team_id, id)`,
  `create index audit_events_by_actor on audit_events (team_id, actor_uid, id)`,
  `create index audit_events_by_action on audit_events (team_id, action, id)`,
  `create index audit_events_by_object on audit_events (team_id, object_id, id)`,
  `create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'the audit log only grows'; end $$`,
  `create trigger audit_events_only_grow before update or delete or truncate on audit_events
    for each statement execute function refuse_change()`,
];
