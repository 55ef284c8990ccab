import type { Selectable } from 'kysely';
import { ProblemError } from '../../contract/problem.ts';
import { readableBy, type Reader } from '../keys/spaces.ts';
import type { Db, RunsTable } from '../tables.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text has the form of a run's id. */
export function isRunId(id: string): boolean {
  return UUID.test(id);
}

export type RunRow = Selectable<RunsTable>;

/** A run that the reader may see; otherwise undefined. */
export async function findRun(db: Db, reader: Reader, runId: string): Promise<RunRow | undefined> {
  if (!isRunId(runId)) return undefined;
  return db
    .selectFrom('runs')
    .where('id', '=', runId)
    .where('team_id', 'in', readableBy(reader))
    .selectAll()
    .executeTakeFirst();
}

/**
 * A run that the caller may see. Throws the same 404 for an unknown run and for another team's
 * (threats.md S2).
 */
export async function requireRun(db: Db, caller: Reader, runId: string): Promise<RunRow> {
  const run = await findRun(db, caller, runId);
  if (!run) throw new ProblemError('resource_not_found');
  return run;
}

/** A run of any team, which is known to exist. */
export async function findRunById(db: Db, runId: string): Promise<RunRow> {
  return db.selectFrom('runs').where('id', '=', runId).selectAll().executeTakeFirstOrThrow();
}
