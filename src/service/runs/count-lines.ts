import type { ClientBase } from 'pg';

const BATCH = 200;
/** Longest time for one round. */
const ROUND_MS = 5000;

const COUNT = `
  with since as materialized (
    select counted_to from lines_progress where counted_to is not null for update skip locked),
  due as materialized (
    select id from runs, since where id > counted_to order by id limit ${BATCH}),
  counted as (
    update runs set lines_added = told.added, lines_removed = told.removed
    from due cross join lateral (
      select data -> 'files' as files from run_events
      where run_id = due.id and type = 'changes' order by position desc limit 1) latest
    cross join lateral (
      select least(coalesce(sum((file ->> 'additions')::bigint), 0), 2147483647)::integer as added,
        least(coalesce(sum((file ->> 'deletions')::bigint), 0), 2147483647)::integer as removed
      from jsonb_array_elements(files) file) told
    where runs.id = due.id and runs.lines_added is null),
  progress as (
    update lines_progress set counted_to = (select id from due order by id desc limit 1)
    where exists (select from since))
  select count(*)::int from due`;

/** Counts the changed lines of runs that are older than migration 0016, once, in batches. */
export async function countLines({
  database,
}: {
  database: { pool: Pick<ClientBase, 'query'> };
}): Promise<void> {
  const deadline = Date.now() + ROUND_MS;
  for (let count = BATCH; count > 0 && Date.now() < deadline;) {
    const { rows } = await database.pool.query<{ count: number }>(COUNT);
    count = rows[0]?.count ?? 0;
  }
}
