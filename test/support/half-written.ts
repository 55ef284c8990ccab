import { sql, type Kysely } from 'kysely';
import type { ServiceTables } from '../../src/service/tables.ts';

/**
 * Rows that only half of a change would leave behind, in the whole database; empty when all is
 * well.
 */
export async function halfWritten(db: Kysely<ServiceTables>): Promise<unknown[]> {
  const { rows } = await sql`
    select 'run without its event' as what, r.id from runs r
      where not exists (select 1 from run_events e where e.run_id = r.id)
    union all
    select 'run whose log does not end where it says', r.id from runs r
      where r.log_position <> (select max(e.position) from run_events e where e.run_id = r.id)
    union all
    select 'queued run without its job', r.id from runs r
      where r.state = 'QUEUED' and r.lane is not null
        and not exists (select 1 from runlink_jobs.job j
          where j.id = r.job_id and j.state in ('created', 'retry'))
    union all
    select 'claimed run without its held job', r.id from runs r
      where r.state in ('PENDING', 'INPROGRESS') and r.lane is not null
        and not exists (select 1 from runlink_jobs.job j where j.id = r.job_id and j.state = 'active')
    union all
    select 'ended run with a job that still waits', r.id from runs r
      where r.state not in ('QUEUED', 'PENDING', 'INPROGRESS')
        and exists (select 1 from runlink_jobs.job j where j.id = r.job_id and j.state < 'completed')
    union all
    select 'ended run with a key that still works', r.id from runs r
      where r.state in ('SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED')
        and exists (select 1 from api_keys k where k.run_id = r.id and k.revoked_at is null)
    union all
    select 'metadata of a run that lacks it', m.run_id from run_metadata m join runs r on r.id = m.run_id
      where r.metadata ->> m.key is distinct from m.value
    union all
    select 'content without its artifact', c.uid from artifact_contents c
      where not exists (select 1 from artifacts a where a.uid = c.uid)
    union all
    select 'schedule that waits for nothing', s.id from schedules s
      where s.enabled and s.next_run is null
    union all
    select 'schedule whose next firing has no job', s.id from schedules s
      where s.enabled and not exists (select 1 from runlink_jobs.job j
        where j.name = 'schedules' and j.data ->> 'scheduleId' = s.id::text and j.start_after >= s.next_run)
    union all
    select 'key of an agent that is gone', k.id from api_keys k join identities i on i.uid = k.agent_uid
      where i.deleted_at is not null and k.revoked_at is null
    limit 10`.execute(db);
  return rows;
}
