import type { Kysely, Selectable } from 'kysely';
import { ProblemError } from '../../contract/problem.ts';
import { readableBy, type Reader } from '../keys/spaces.ts';
import type { RunsTable, ServiceTables } from '../tables.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text could be the id of a run at all. */
export function isRunId(id: string): boolean {
  return UUID.test(id);
}

export type RunRow = Selectable<RunsTable>;

/** A run that the reader may see; undefined for any other. */
export async function findRun(
  db: Kysely<ServiceTables>,
  reader: Reader,
  runId: string,
): Promise<RunRow | undefined> {
  if (!isRunId(runId)) return undefined;
  return db
    .selectFrom('runs')
    .where('id', '=', runId)
    .where('team_id', 'in', readableBy(reader))
    .selectAll()
    .executeTakeFirst();
}

/** The caller's run, or the 404 that an unknown run and another team's have in common (threats.md S2). */
export async function requireRun(
  db: Kysely<ServiceTables>,
  caller: Reader,
  runId: string,
): Promise<RunRow> {
  const run = await findRun(db, caller, runId);
  if (!run) throw new ProblemError('resource_not_found');
  return run;
}

/** Any team's run that is known to be there. */
export async function findRunById(db: Kysely<ServiceTables>, runId: string): Promise<RunRow> {
  return db.selectFrom('runs').where('id', '=', runId).selectAll().executeTakeFirstOrThrow();
}
