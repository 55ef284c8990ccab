import { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import type { endpoints } from '../../../contract/endpoints.ts';
import { ProblemError } from '../../../contract/problem.ts';
import {
  SIGNED_URL_SECONDS,
  attachmentDisposition,
  signPath,
  verifySigned,
} from '../../blobs/sign.ts';
import type { ServiceContext } from '../../context.ts';
import type { Call } from '../../http/call.ts';
import { API_PREFIX } from '../../http/mount.ts';
import type { ServiceTables } from '../../tables.ts';
import { isRunId, requireRun } from '../find-run.ts';
import { executionsInLog } from './execution-at.ts';

const PAGE = 500;

async function hasTranscript(db: Kysely<ServiceTables>, runId: string): Promise<boolean> {
  const reported = await db
    .selectFrom('run_events')
    .where('run_id', '=', runId)
    .where('seq', 'is not', null)
    .select('position')
    .limit(1)
    .executeTakeFirst();
  return reported !== undefined;
}

/** GET …/transcript: a redirect to a link that works for a while and needs no key. */
export async function redirectToTranscript(
  { db, secrets, publicUrl }: ServiceContext,
  { params, caller }: Call<typeof endpoints.runs.transcript>,
): Promise<Response> {
  const run = await requireRun(db, caller, params.runId);
  if (!(await hasTranscript(db, run.id)))
    throw new ProblemError('resource_not_found', { detail: 'The run has no transcript yet.' });
  const location = signPath(secrets.download, {
    method: 'GET',
    path: `${API_PREFIX}/downloads/transcripts/${run.id}`,
    disposition: attachmentDisposition(`${run.id}.ndjson`),
    expiresAt: new Date(Date.now() + SIGNED_URL_SECONDS * 1000),
  });
  return new Response(null, {
    status: 302,
    headers: { location: publicUrl() + location, 'cache-control': 'no-store' },
  });
}

/** What the run was asked, then its log, line by line; read page by page, so that its length does not matter. */
async function* transcriptLines(db: Kysely<ServiceTables>, runId: string): AsyncGenerator<string> {
  const executionAt = await executionsInLog(db, runId);
  const run = await db
    .selectFrom('runs')
    .where('id', '=', runId)
    .select(['created_at as at', 'prompt'])
    .executeTakeFirst();
  if (!run) return;
  yield `${JSON.stringify({ position: 0, execution_id: 1, type: 'prompt', ...run })}\n`;
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom('run_events')
      .where('run_id', '=', runId)
      .where('position', '>', after)
      .select(['position', 'seq', 'type', 'at', 'data', 'raw'])
      .orderBy('position')
      .limit(PAGE)
      .execute();
    for (const { position, seq, type, at, data, raw } of rows) {
      const line = { position, execution_id: executionAt(position).number, type, at, ...data };
      const extra = { ...(seq === null ? {} : { seq }), ...(raw === null ? {} : { raw }) };
      yield `${JSON.stringify({ ...line, ...extra })}\n`;
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.position;
  }
}

/** What stands behind the link of `redirectToTranscript`. */
export async function sendTranscript(
  { db, secrets }: ServiceContext,
  { params, request }: Call<typeof endpoints.runs.transcriptContent>,
): Promise<Response> {
  const disposition = verifySigned(secrets.download, 'GET', new URL(request.url), new Date());
  if (disposition === undefined)
    throw new ProblemError('not_authorized', { detail: 'This link is not valid any more.' });
  if (!isRunId(params.runId)) throw new ProblemError('resource_not_found');
  const content = Readable.toWeb(Readable.from(transcriptLines(db, params.runId)).map(toBytes));
  return new Response(content as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': disposition,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    },
  });
}

function toBytes(line: string): Uint8Array {
  return Buffer.from(line);
}
