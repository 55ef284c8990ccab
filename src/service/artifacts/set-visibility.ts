import { ProblemError } from '../../contract/problem.ts';
import { actorOf, recordAudit } from '../audit/record-audit.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { findArtifact } from './find-artifact.ts';

/** Publishes an artifact of the caller's team, or makes it private again. */
export async function setVisibility(
  context: Pick<ServiceContext, 'db'>,
  caller: TeamPrincipal,
  uid: string,
  isPublic: boolean,
): Promise<{ artifact_uid: string; public: boolean }> {
  const artifact = await findArtifact(context, caller, uid);
  if (!artifact.isOwn) throw new ProblemError('resource_not_found');
  await context.db.transaction().execute(async (trx) => {
    const changed = await trx
      .updateTable('artifact_contents')
      .set({ public: isPublic })
      .where('uid', '=', artifact.uid)
      .where('public', '<>', isPublic)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) return;
    await recordAudit(trx, actorOf(caller), {
      teamId: caller.teamId,
      action: isPublic ? 'artifact.published' : 'artifact.unpublished',
      object: { type: 'artifact', id: artifact.uid, name: artifact.identity },
    });
  });
  return { artifact_uid: artifact.uid, public: isPublic };
}
