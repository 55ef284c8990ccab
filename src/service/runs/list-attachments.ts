import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { requireRun } from './find-run.ts';

type Answer = z.output<typeof endpoints.runs.attachments.answer>;

/** GET …/attachments. */
export async function listAttachments(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  runId: string,
): Promise<Answer> {
  const { id } = await requireRun(db, caller, runId);
  const { attachments } = await db
    .selectFrom('runs')
    .where('id', '=', id)
    .select('attachments')
    .executeTakeFirstOrThrow();
  return { attachments: attachments as Answer['attachments'] };
}
