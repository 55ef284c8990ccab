import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { endpoints } from '../../contract/endpoints.ts';
import { ProblemError } from '../../contract/problem.ts';
import { ATTACHMENT_MAX_BYTES, type followupRequest } from '../../contract/run.ts';
import { SIGNED_URL_SECONDS, signPath, verifySigned } from '../blobs/sign.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { API_PREFIX } from '../http/mount.ts';
import { readBytes } from '../http/read-body.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { requireLease } from '../leases/held-run.ts';
import type { Attachment, Db, Trx } from '../tables.ts';
import { isRunId, requireRun } from './find-run.ts';

type Answer = z.output<typeof endpoints.runs.attachments.answer>;
type Prepared = z.output<typeof endpoints.runs.prepareAttachments.answer>;
type NamedAttachments = NonNullable<z.output<typeof followupRequest>['attachments']>;

/** Most images of a run that no follow-up has used yet. */
const UNSENT_MAX = 50;

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

/**
 * POST …/attachments/prepare. Images that no follow-up used within a day are deleted by the next
 * call.
 */
export async function prepareAttachments(
  context: ServiceContext,
  { params, body, caller }: Call<typeof endpoints.runs.prepareAttachments>,
): Promise<Prepared> {
  const { db, secrets, publicUrl } = context;
  const { id: run_id } = await requireRun(db, caller, params.runId);
  const rows = body.files.map(({ filename: file_name, mime_type }) => {
    return { id: randomUUID(), run_id, file_name, mime_type };
  });
  await db.transaction().execute(async (trx) => {
    const unsent = trx
      .deleteFrom('run_attachments')
      .where('run_id', '=', run_id)
      .where('followup_id', 'is', null)
      .where('created_at', '<', sql<Date>`now() - interval '1 day'`);
    await unsent.execute();
    await trx.insertInto('run_attachments').values(rows).execute();
    const { count } = await trx
      .selectFrom('run_attachments')
      .where('run_id', '=', run_id)
      .where('followup_id', 'is', null)
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) > UNSENT_MAX)
      throw new ProblemError('conflict', {
        title: `This run has ${UNSENT_MAX} images that no follow-up has named yet.`,
      });
  });
  const expiresAt = new Date(Date.now() + SIGNED_URL_SECONDS * 1000);
  return {
    attachments: rows.map(({ id }) => {
      const path = `${API_PREFIX}/uploads/${id}`;
      const link = signPath(secrets.download, { method: 'PUT', path, disposition: '', expiresAt });
      return { attachment_id: id, upload_url: publicUrl() + link };
    }),
  };
}

/** PUT /uploads/{attachmentId}: an image that was sent with a follow-up cannot be replaced. */
export async function uploadAttachment(
  { db, secrets }: ServiceContext,
  { params, request }: Call<typeof endpoints.runs.uploadAttachment>,
): Promise<undefined> {
  const id = params.attachmentId;
  const url = new URL(request.url);
  if (!isRunId(id) || verifySigned(secrets.download, 'PUT', url, new Date()) === undefined)
    throw new ProblemError('not_authorized', { title: 'This link is invalid or has expired.' });
  const content = await readBytes(request, ATTACHMENT_MAX_BYTES);
  if (content.length === 0)
    throw new ProblemError('invalid_request', { detail: 'The body is empty.' });
  const { numUpdatedRows } = await db
    .updateTable('run_attachments')
    .set({ data: content.toString('base64') })
    .where('id', '=', id)
    .where('followup_id', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ProblemError('resource_not_found');
}

/** Assigns the images that a follow-up names to it, and returns them. */
export async function takeAttachments(
  trx: Trx,
  { runId, followupId }: { runId: string; followupId: string },
  named: NamedAttachments,
): Promise<Attachment[]> {
  const taken: Attachment[] = [];
  for (const [at, { attachment_id: id, file_name }] of named.entries()) {
    const row = await trx
      .updateTable('run_attachments')
      .set({
        followup_id: followupId,
        created_at: sql<Date>`now() + ${at} * interval '1 ms'`,
        ...(file_name ? { file_name } : {}),
      })
      .where(sql<string>`id::text`, '=', id.toLowerCase())
      .where('run_id', '=', runId)
      .where('followup_id', 'is', null)
      .where('data', 'is not', null)
      .returning(['file_name', 'mime_type', 'data'])
      .executeTakeFirst();
    if (!row)
      throw new ProblemError('operation_not_supported', {
        title: 'There is no such attachment.',
        field: `attachments.${at}.attachment_id`,
        detail: `attachments: "${id}" was not stored for this run, or has been sent`,
      });
    taken.push({ ...row, data: row.data ?? '' });
  }
  return taken;
}

/** The images of follow-ups, ordered by follow-up and by the order in which it named them. */
export async function attachmentsOf(
  db: Db,
  followupIds: readonly string[],
): Promise<Answer['attachments']> {
  if (followupIds.length === 0) return [];
  const rows = await db
    .selectFrom('run_attachments as a')
    .innerJoin('run_followups as f', 'f.id', 'a.followup_id')
    .where('a.followup_id', 'in', [...followupIds])
    .select(['a.file_name', 'a.mime_type', sql<string>`coalesce(a.data, '')`.as('data')])
    .orderBy('f.signal')
    .orderBy('a.created_at')
    .orderBy('a.file_name')
    .execute();
  return rows as Answer['attachments'];
}

/** GET /worker/runs/{runId}/followups/{followupId}/attachments. */
export async function followupAttachments(
  { db }: ServiceContext,
  { caller, params, request }: Call<typeof endpoints.worker.attachments>,
): Promise<Answer> {
  const { id } = await requireLease(db, caller, params.runId, request);
  const followup = isRunId(params.followupId)
    ? await db
        .selectFrom('run_followups')
        .where('id', '=', params.followupId)
        .where('run_id', '=', id)
        .select('id')
        .executeTakeFirst()
    : undefined;
  if (!followup) throw new ProblemError('resource_not_found');
  return { attachments: await attachmentsOf(db, [followup.id]) };
}
