import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { REFERENCE_URL_MAX, type ReportArtifactRequest } from '../../contract/artifact.ts';
import { canonicalUrl } from '../../contract/canonical-url.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import { invalidField, ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { readableBy } from '../keys/spaces.ts';
import type { Db, Trx } from '../tables.ts';
import { announce } from '../waiting/changes.ts';
import { lockRun, type LockedRun } from '../runs/life/lock-run.ts';
import { requireReportedRun } from '../runs/reported-run.ts';
import { CHANGED_AT } from '../runs/log/append.ts';

/** An artifact of a run, to be stored. */
export interface NewArtifact {
  runId: string;
  type: 'PLAN' | 'PULL_REQUEST' | 'SCREENSHOT' | 'FILE' | 'EXTERNAL_REFERENCE';
  /** Two reports with the same run, type and identity are the same artifact. */
  identity: string;
  locator?: string;
  data: Record<string, unknown>;
  /** Its content is written as well, and may have changed. */
  hasContent?: boolean;
}

/**
 * Stores an artifact, or adds what is new to an earlier report of it, in the caller's transaction,
 * and notifies the run's watchers. Returns its uid, which stays the same for the same artifact.
 * Fields that are not reported again keep their values, and so does a pull request's status.
 */
export async function putArtifact(trx: Trx, artifact: NewArtifact): Promise<string> {
  const run = await lockRun(trx, artifact.runId);
  if (!run) throw new ProblemError('resource_not_found');
  const data = JSON.stringify(artifact.data);
  const said = sql<string>`artifacts.data || (excluded.data - 'status')`;
  const written = await trx
    .insertInto('artifacts')
    .values({
      uid: randomUUID(),
      run_id: run.id,
      team_id: run.team_id,
      artifact_type: artifact.type,
      created_at: sql`clock_timestamp()`,
      identity: artifact.identity,
      locator: artifact.locator ?? null,
      data,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'artifact_type', 'identity'])
        .doUpdateSet({ data: said })
        .where(sql.ref('artifacts.data'), 'is distinct from', said),
    )
    .returning('uid')
    .executeTakeFirst();
  if (written || artifact.hasContent) await tellOfArtifacts(trx, run);
  return written?.uid ?? (await uidOf(trx, artifact));
}

async function uidOf(trx: Trx, { runId, type, identity }: NewArtifact): Promise<string> {
  const { uid } = await trx
    .selectFrom('artifacts')
    .where('run_id', '=', runId)
    .where('artifact_type', '=', type)
    .where('identity', '=', identity)
    .select('uid')
    .executeTakeFirstOrThrow();
  return uid;
}

async function tellOfArtifacts(trx: Trx, run: LockedRun): Promise<void> {
  await trx
    .updateTable('runs')
    .set({
      updated_at: CHANGED_AT,
      artifact_types: sql<string[]>`(
        select array_agg(distinct artifact_type order by artifact_type)
        from artifacts where run_id = ${run.id})`,
    })
    .where('id', '=', run.id)
    .execute();
  await announce(trx, [`run:${run.id}`, `team:${run.team_id}`]);
}

function canonical(url: string): string {
  const found = canonicalUrl(url);
  if (found === undefined) throw invalidField('data.url', 'must be an http or https URL');
  if (found.length > REFERENCE_URL_MAX)
    throw invalidField('data.url', `has more than ${REFERENCE_URL_MAX} characters when encoded`);
  return found;
}

function toArtifact(runId: string, body: ReportArtifactRequest): NewArtifact {
  const identity = canonical(body.data.url);
  const data = { ...body.data, url: identity };
  if (body.artifact_type === 'PULL_REQUEST')
    return { runId, type: 'PULL_REQUEST', identity, data: { ...data, status: 'open' } };
  return { runId, type: 'EXTERNAL_REFERENCE', identity, locator: identity, data };
}

/** POST /harness-support/report-artifact. */
export async function reportArtifact(
  { db }: ServiceContext,
  call: Call<typeof endpoints.harness.reportArtifact>,
): Promise<{ artifact_uid: string }> {
  const run = await requireReportedRun(db, call);
  const artifact = toArtifact(run.id, call.body);
  return { artifact_uid: await db.transaction().execute((trx) => putArtifact(trx, artifact)) };
}

/** GET /agent/run-by-external-reference: the newest run that reported the URL. */
export async function runByReference(
  db: Db,
  caller: TeamPrincipal,
  url: string,
): Promise<{ run_id: string }> {
  const locator = canonicalUrl(url);
  if (locator === undefined) throw invalidField('url', 'must be an http or https URL');
  const found = await db
    .selectFrom('artifacts as a')
    .innerJoin('runs as r', 'r.id', 'a.run_id')
    .where('a.team_id', 'in', readableBy(caller))
    .where('a.locator', '=', locator)
    .orderBy('r.created_at', 'desc')
    .orderBy('a.created_at', 'desc')
    .select('a.run_id')
    .limit(1)
    .executeTakeFirst();
  if (!found) throw new ProblemError('resource_not_found');
  return found;
}
