import { Readable } from 'node:stream';
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
import type { Db } from '../../tables.ts';
import { isRunId, requireRun } from '../find-run.ts';
import { latestRunOf } from '../sessions.ts';
import { executionsInLog } from './execution-at.ts';

const PAGE = 500;

/** GET …/transcript: redirects to a time-limited link that needs no key. */
export async function redirectToTranscript(
  { db, secrets, publicUrl }: ServiceContext,
  { params, caller }: Call<typeof endpoints.runs.transcript>,
): Promise<Response> {
  const run = await requireRun(db, caller, params.runId);
  if (!(await hasTranscript(db, run.id)))
    throw new ProblemError('resource_not_found', { detail: 'The run has no transcript yet.' });
  return redirectTo({ secrets, publicUrl }, 'transcripts', run.id);
}

function redirectTo(
  { secrets, publicUrl }: Pick<ServiceContext, 'secrets' | 'publicUrl'>,
  kind: 'transcripts' | 'conversations',
  id: string,
): Response {
  const location = signPath(secrets.download, {
    method: 'GET',
    path: `${API_PREFIX}/downloads/${kind}/${id}`,
    disposition: attachmentDisposition(`${id}.ndjson`),
    expiresAt: new Date(Date.now() + SIGNED_URL_SECONDS * 1000),
  });
  return new Response(null, {
    status: 302,
    headers: { location: publicUrl() + location, 'cache-control': 'no-store' },
  });
}

/**
 * GET /agent/conversations/{conversationId}/transcript. All its runs have the same readers
 * (interface.md 5.5).
 */
export async function redirectToConversation(
  context: ServiceContext,
  { params, caller }: Call<typeof endpoints.conversations.transcript>,
): Promise<Response> {
  await latestRunOf(context.db, caller, params.conversationId);
  return redirectTo(context, 'conversations', params.conversationId.toLowerCase());
}

/**
 * A run's prompt and log as lines. They are read page by page, so the log's length does not matter.
 */
async function* transcriptLines(db: Db, runId: string): AsyncGenerator<string> {
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

/** The transcripts of a conversation's runs, one after the other; each line names its run. */
async function* conversationLines(db: Db, conversationId: string): AsyncGenerator<string> {
  const runs = await db
    .selectFrom('runs')
    .where('conversation_id', '=', conversationId)
    .select('id')
    .orderBy('created_at')
    .execute();
  for (const { id } of runs)
    for await (const line of transcriptLines(db, id)) yield `{"run_id":"${id}",${line.slice(1)}`;
}

/** Serves the link of `redirectToConversation`. */
export async function sendConversation(
  context: ServiceContext,
  { params, request }: Call<typeof endpoints.conversations.transcriptContent>,
): Promise<Response> {
  return sendLines(context, request, params.conversationId, conversationLines);
}

/** Serves the link of `redirectToTranscript`. */
export async function sendTranscript(
  context: ServiceContext,
  { params, request }: Call<typeof endpoints.runs.transcriptContent>,
): Promise<Response> {
  return sendLines(context, request, params.runId, transcriptLines);
}

function sendLines(
  { db, secrets }: ServiceContext,
  request: Request,
  id: string,
  linesOf: (db: Db, id: string) => AsyncGenerator<string>,
): Response {
  const disposition = verifySigned(secrets.download, 'GET', new URL(request.url), new Date());
  if (disposition === undefined)
    throw new ProblemError('not_authorized', { detail: 'This link is not valid any more.' });
  if (!isRunId(id)) throw new ProblemError('resource_not_found');
  const content = Readable.toWeb(Readable.from(linesOf(db, id)).map(toBytes));
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

async function hasTranscript(db: Db, runId: string): Promise<boolean> {
  const reported = await db
    .selectFrom('run_events')
    .where('run_id', '=', runId)
    .where('seq', 'is not', null)
    .select('position')
    .limit(1)
    .executeTakeFirst();
  return reported !== undefined;
}
