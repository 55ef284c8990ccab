import { sql } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../../contract/endpoints.ts';
import { ProblemError } from '../../../contract/problem.ts';
import type { ServiceContext } from '../../context.ts';
import type { Call } from '../../http/call.ts';
import { readableBy } from '../../keys/spaces.ts';
import { isRunId } from '../find-run.ts';

type RunEvent = z.output<typeof endpoints.runs.events.answer>[number];

/** The timeline's event types that this endpoint returns, and their names here. */
const TYPES: Record<string, RunEvent['event_type']> = {
  worker_container_ready: 'run_in_progress',
  oz_run_done: 'run_succeeded',
  oz_run_failed: 'run_failed',
  oz_run_errored: 'run_errored',
  oz_run_blocked: 'run_blocked',
  oz_run_cancelled: 'run_cancelled',
};
/** Newer events are not returned yet, because an older one may still be committed after them. */
const SETTLED = sql`interval '1 second'`;

interface EventRow {
  run_id: string;
  type: string;
  at: Date;
  execution: number | null;
}

/**
 * GET /agent/events. Events with the same time are never split between answers, so that `since`
 * misses none.
 */
export async function listEvents(
  { db }: ServiceContext,
  { caller, query }: Call<typeof endpoints.runs.events>,
): Promise<RunEvent[]> {
  const ids = [...new Set(query.run_ids.map((id) => id.toLowerCase()))];
  const readable = ids.every(isRunId)
    ? await db
        .selectFrom('runs')
        .where('id', 'in', ids)
        .where('team_id', 'in', readableBy(caller))
        .select('id')
        .execute()
    : [];
  if (readable.length < ids.length)
    throw new ProblemError('resource_not_found', { field: 'run_ids' });
  const { rows } = await sql<EventRow>`
    select e.run_id, e.data ->> 'event_type' as type, date_trunc('milliseconds', e.at) as at,
      (select max(x.number) from executions x where x.run_id = e.run_id and x.log_from <= e.position) as execution
    from run_events e
    where e.run_id = any(${ids}::uuid[]) and e.type = 'lifecycle'
      and e.data ->> 'event_type' = any(${Object.keys(TYPES)}::text[])
      and date_trunc('milliseconds', e.at) > to_timestamp(${query.since} / 1000.0)
      and e.at < clock_timestamp() - ${SETTLED}
    order by date_trunc('milliseconds', e.at) fetch first ${sql.lit(query.limit)} rows with ties`.execute(
    db,
  );
  return rows.flatMap(({ run_id, type, at, execution }) => {
    const event_type = TYPES[type];
    if (!event_type) return [];
    const execution_id = String(execution ?? 1);
    const occurred_at = at.toISOString();
    return [
      { event_type, run_id, ref_id: null, execution_id, occurred_at, sequence: at.getTime() },
    ];
  });
}
