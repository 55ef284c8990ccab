import { randomUUID } from 'node:crypto';
import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { ARTIFACT_MAX_BYTES, type UploadArtifactQuery } from '../../contract/artifact.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import { invalidField, ProblemError } from '../../contract/problem.ts';
import { indexed } from '../../database/indexed.ts';
import type { ServiceContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { leaseLost, requireLease, type HeldRun } from '../leases/held-run.ts';
import { lockRun } from '../runs/life/lock-run.ts';
import type { NewArtifact } from './report-artifact.ts';
import { storeContent } from './store-content.ts';

/** Content whose artifact was never written is deleted after this time. */
const ABANDONED_AFTER = sql<Date>`now() + interval '1 day'`;

/**
 * POST /worker/runs/{runId}/artifacts: streams a file into the content store, then makes it the
 * run's artifact. Until then its key is on the list of contents to delete, so that a crash in
 * between leaves nothing behind.
 */
export async function uploadArtifact(
  context: ServiceContext,
  { caller, params, query, request }: Call<typeof endpoints.artifacts.upload>,
): Promise<{ artifact_uid: string }> {
  const held = await requireLease(context.db, caller, params.runId, request);
  const size = lengthOf(request);
  const contentType = query.mime_type;
  const key = `artifacts/${randomUUID()}`;
  await context.db
    .insertInto('blob_garbage')
    .values({ key, delete_after: ABANDONED_AFTER })
    .execute();
  await context.blobs.put(key, contentOf(request), { contentType, contentLength: size });
  const artifact = artifactOf(held.id, query, size);
  return { artifact_uid: await commit(context, held, artifact, { key, contentType, size }) };
}

/** The length of the body; stores need it before the first byte. */
function lengthOf(request: Request): number {
  const header = request.headers.get('content-length') ?? '';
  if (!/^\d{1,15}$/.test(header))
    throw invalidField('Content-Length', 'must say how many bytes the file has');
  const length = Number(header);
  if (length > ARTIFACT_MAX_BYTES)
    throw new ProblemError('payload_too_large', {
      detail: `A file may hold at most ${ARTIFACT_MAX_BYTES} bytes.`,
    });
  return length;
}

/** Images become SCREENSHOT, everything else FILE (run-lifecycle.md, "Where a run works"). */
function artifactOf(runId: string, query: UploadArtifactQuery, size: number): NewArtifact {
  const { filepath, mime_type, title, description } = query;
  const identity = indexed(filepath);
  const described = description === undefined ? {} : { description };
  if (mime_type.startsWith('image/')) {
    const data = { mime_type, description: description ?? basename(filepath) };
    return { runId, type: 'SCREENSHOT', identity, data };
  }
  return {
    runId,
    type: 'FILE',
    identity,
    data: {
      filename: basename(filepath),
      filepath,
      mime_type,
      size_bytes: size,
      ...(title === undefined ? {} : { title }),
      ...described,
    },
  };
}

function contentOf(request: Request): Readable {
  return request.body ? Readable.fromWeb(request.body) : Readable.from([]);
}

async function commit(
  context: ServiceContext,
  held: HeldRun,
  artifact: NewArtifact,
  blob: { key: string; contentType: string; size: number },
): Promise<string> {
  return context.db.transaction().execute(async (trx) => {
    const run = await lockRun(trx, held.id);
    if (!run || run.attempt !== held.attempt || run.state !== 'INPROGRESS') throw leaseLost();
    const uid = await storeContent(context, trx, artifact, {
      blobKey: blob.key,
      content: null,
      contentType: blob.contentType,
      sizeBytes: blob.size,
    });
    await trx.deleteFrom('blob_garbage').where('key', '=', blob.key).execute();
    return uid;
  });
}
