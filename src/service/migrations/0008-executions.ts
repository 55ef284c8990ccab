import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A row per execution (run-lifecycle.md, "Executions"). A trigger maintains them, so that they are
 * right even if an older release changes a run during an upgrade: the row of `runs` always
 * describes its latest execution. A run's first execution gets its row when it begins or ends;
 * until then the run itself has the time it was queued, so creating a run costs nothing extra.
 */
export const executions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const TABLE = `create table executions (
  run_id uuid not null,
  number integer not null,
  log_from bigint not null,
  queued_at timestamptz(3) not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  worker_id text,
  harness text,
  outcome text,
  status_message jsonb,
  usage jsonb,
  primary key (run_id, number)
) with (fillfactor = 80)`;

/** The agent program of the execution with this claim number. */
const harnessOf = (run: string): string => `(
  select e.data ->> 'harness' from run_events e
  where e.run_id = ${run}.id and e.type = 'agent_started' and e.attempt = ${run}.attempt
  order by e.position desc limit 1)`;

/** The latest execution of each run, from the run's own row. */
const latestOf = (condition: string): string => `
  insert into executions
  select r.id, r.reopened + 1,
    case when r.reopened = 0 then 1 else coalesce((
      select max(e.position) from run_events e where e.run_id = r.id
        and e.type = 'lifecycle' and e.data ->> 'event_type' = 'oz_run_reopened'), 1) end,
    r.queued_at, t.started_at, r.finished_at,
    case when t.started_at is not null then r.lease_worker end,
    case when t.started_at is not null then ${harnessOf('r')} end,
    case when r.finished_at is not null then r.state end, r.status_message, r.usage
  from runs r
  cross join lateral (
    select case when r.started_at >= r.queued_at and r.state not in ('QUEUED', 'PENDING')
      then r.started_at end as started_at) t
  where (r.reopened > 0 or r.finished_at is not null or t.started_at is not null) and ${condition}
  on conflict (run_id, number) do update set
    (started_at, ended_at, worker_id, harness, outcome, status_message, usage) =
    (excluded.started_at, excluded.ended_at, excluded.worker_id, excluded.harness, excluded.outcome,
      excluded.status_message, excluded.usage)`;

/** Earlier executions of continued runs, from their logs; their final messages are lost. */
const earlierOf = (condition: string): string => `
  insert into executions (run_id, number, log_from, queued_at, started_at, ended_at, worker_id,
    harness, outcome)
  select run_id, number, min(position), min(at), max(at) filter (where event = 'worker_container_ready'),
    max(at) filter (where outcome is not null), max(worker), max(harness), max(outcome)
  from (
    select e.run_id, e.position, e.at, e.data ->> 'event_type' as event, e.data ->> 'harness' as harness,
      e.data -> 'payload' ->> 'worker_id' as worker,
      case e.data ->> 'event_type' when 'oz_run_done' then 'SUCCEEDED' when 'oz_run_failed' then 'FAILED'
        when 'oz_run_errored' then 'ERROR' when 'oz_run_blocked' then 'BLOCKED'
        when 'oz_run_cancelled' then 'CANCELLED' end as outcome,
      1 + count(*) filter (where e.data ->> 'event_type' = 'oz_run_reopened')
        over (partition by e.run_id order by e.position) as number,
      r.reopened
    from runs r join run_events e on e.run_id = r.id and e.type in ('lifecycle', 'agent_started')
    where r.reopened > 0 and ${condition}) told
  where number <= reopened
  group by run_id, number
  on conflict (run_id, number) do update set (ended_at, outcome) = (excluded.ended_at, excluded.outcome)
    where executions.ended_at is null`;

/** Longer than the first pass and any transaction take; found by each team's index. */
const RECENT = `r.team_id in (select id from teams) and r.updated_at > now() - interval '1 hour'`;

const STATEMENTS = [
  TABLE,
  latestOf('true'),
  earlierOf('true'),
  // Changes of runs are blocked from here to the end, so this part must be short: it redoes only
  // what changed lately. Rows of runs that were deleted meanwhile stay, because nobody reads them.
  `lock table runs in share row exclusive mode`,
  latestOf(RECENT),
  earlierOf(RECENT),
  `alter table executions add foreign key (run_id) references runs on delete cascade not valid`,
  `create function keep_execution() returns trigger language plpgsql as $$
    begin
      if new.state = 'QUEUED' then
        insert into executions (run_id, number, log_from, queued_at)
          values (new.id, new.reopened + 1, new.log_position, new.queued_at)
          on conflict (run_id, number) do nothing;
      else
        insert into executions (run_id, number, log_from, queued_at, started_at, ended_at, worker_id,
            harness, outcome, status_message, usage)
          values (new.id, new.reopened + 1, 1, new.queued_at,
            case when 'INPROGRESS' in (old.state, new.state) then new.started_at end, new.finished_at,
            case when 'INPROGRESS' in (old.state, new.state) then new.lease_worker end,
            case when old.state = 'INPROGRESS' then ${harnessOf('new')} end,
            case when new.state <> 'INPROGRESS' then new.state end, new.status_message, new.usage)
          on conflict (run_id, number) do update set
            (started_at, ended_at, worker_id, harness, outcome, status_message, usage) =
            (coalesce(excluded.started_at, executions.started_at), excluded.ended_at,
              coalesce(excluded.worker_id, executions.worker_id),
              coalesce(excluded.harness, executions.harness), excluded.outcome,
              excluded.status_message, excluded.usage);
      end if;
      return null;
    end $$`,
  // Fires when a run is reopened, begins or ends, and when the worker of a cancelled run reports
  // its usage.
  `create trigger runs_keep_execution after update of state, usage on runs for each row
    when (case new.state
      when 'PENDING' then false
      when 'QUEUED' then old.state not in ('PENDING', 'QUEUED')
      else old.state <> new.state or (new.state <> 'INPROGRESS' and old.usage is distinct from new.usage)
    end) execute function keep_execution()`,
];
