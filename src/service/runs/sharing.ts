import { sql } from 'kysely';
import type { z } from 'zod';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { AgentConfig } from '../../contract/agent-config.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import { actorOf, recordAudit, type AuditActor } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import type { Principal } from '../keys/principal.ts';
import type { Trx } from '../tables.ts';
import { announce } from '../waiting/changes.ts';
import type { NewRun } from './create/new-run.ts';
import { isRunId, requireRun } from './find-run.ts';

type Sharing = z.output<typeof endpoints.runs.share.answer>;

/** Refuses a public link if the operator does not allow any. */
export function checkSharing(
  { public_links }: OperatorConfig,
  { session_sharing }: AgentConfig,
  field: string,
): void {
  if (!session_sharing?.public_access || public_links) return;
  const detail = `${field}: public links are switched off on this service (public_links in runlink.yaml)`;
  throw new ProblemError('operation_not_supported', { field, detail });
}

/**
 * Throws if the caller may not share: a team's run may be made public only by its owners, a
 * personal run only by its person.
 */
export function checkMayShare(
  { role }: Pick<Principal, 'role'>,
  { session_sharing }: AgentConfig,
  isOwn: boolean,
): void {
  if (!session_sharing?.public_access || isOwn || role === 'owner') return;
  throw new ProblemError('not_authorized', {
    detail: 'Only owners of the team may make its runs public.',
  });
}

/**
 * Adds sharing to the audit log. Owners see that something is public, but not what a personal run
 * is about.
 */
async function noteSharing(
  trx: Trx,
  { actor, teamId }: { actor: AuditActor; teamId: string },
  { id, title, ownerUid }: { id: string } & Pick<NewRun, 'title' | 'ownerUid'>,
  action: 'run.shared' | 'run.unshared',
): Promise<void> {
  const name = ownerUid === undefined ? title : 'personal';
  await recordAudit(trx, actor, { teamId, action, object: { type: 'run', id, name } });
}

/** Whether a run is public as soon as it exists. */
export function isBornShared({ config }: Pick<NewRun, 'config'>): boolean {
  return config.session_sharing?.public_access !== undefined;
}

/** Records a new run in the audit log if it is public from the start. */
export async function noteBornShared(
  trx: Trx,
  by: { actor: AuditActor; teamId: string },
  run: { id: string } & Pick<NewRun, 'title' | 'ownerUid' | 'config'>,
): Promise<void> {
  if (isBornShared(run)) await noteSharing(trx, by, run, 'run.shared');
}

/** PUT …/sharing: makes the run's page visible to whoever has its address, or hides it again. */
export async function shareRun(
  { db, config }: ServiceContext,
  { caller, params, body }: Call<typeof endpoints.runs.share>,
): Promise<Sharing> {
  const run = await requireRun(db, caller, params.runId);
  const { public_access } = body;
  const wanted = public_access === null ? {} : { session_sharing: { public_access } };
  checkSharing(config, wanted, 'public_access');
  checkMayShare(caller, wanted, run.owner_uid !== null);
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('runs')
      .set({ config: sql`(config - 'session_sharing') || ${JSON.stringify(wanted)}::jsonb` })
      .where('id', '=', run.id)
      .execute();
    const told = { id: run.id, title: run.title, ownerUid: run.owner_uid ?? undefined };
    const by = { actor: actorOf(caller), teamId: caller.teamId };
    await noteSharing(trx, by, told, public_access ? 'run.shared' : 'run.unshared');
    await announce(trx, [`run:${run.id}`, `log:${run.id}`]);
  });
  return body;
}

/**
 * The principal for readers of a shared run's page who have no session. They can read what the
 * run's own key could, change nothing, and only while the run is shared and the operator allows it
 * (threats.md S23).
 */
export async function guestOf(
  { db, config }: Pick<ServiceContext, 'db' | 'config'>,
  runId: string,
): Promise<Principal | undefined> {
  if (!config.public_links || !isRunId(runId)) return undefined;
  const run = await db
    .selectFrom('runs')
    .where('id', '=', runId)
    .where(sql`config -> 'session_sharing' ->> 'public_access'`, '=', 'VIEWER')
    .select(['id', 'team_id'])
    .executeTakeFirst();
  if (!run) return undefined;
  return {
    kind: 'run',
    role: 'reader',
    keyId: `guest:${run.id}`,
    teamId: run.team_id,
    uid: 'guest',
    profile: { type: 'service_account', uid: 'guest' },
    runId: run.id,
    endsAt: null,
  };
}
