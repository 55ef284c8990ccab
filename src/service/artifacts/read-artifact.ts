import { Readable } from 'node:stream';
import { artifactResponse, type ArtifactResponse } from '../../contract/artifact.ts';
import { ProblemError } from '../../contract/problem.ts';
import { verifySigned } from '../blobs/sign.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { downloadLink } from './download-link.ts';
import { checkArtifactUid, findArtifact, type FoundArtifact } from './find-artifact.ts';

/** GET /agent/artifacts/{artifactUid}. */
export async function readArtifact(
  context: ServiceContext,
  caller: TeamPrincipal | undefined,
  uid: string,
): Promise<ArtifactResponse> {
  const artifact = await findArtifact(context, caller, uid);
  return artifactResponse.parse({
    artifact_uid: artifact.uid,
    artifact_type: artifact.type,
    created_at: artifact.createdAt.toISOString(),
    data: await dataOf(context, artifact),
  });
}

/** GET /agent/artifacts/{artifactUid}/download. */
export async function redirectToDownload(
  context: ServiceContext,
  caller: TeamPrincipal | undefined,
  uid: string,
): Promise<Response> {
  const { url } = await downloadLink(context, await findArtifact(context, caller, uid));
  return new Response(null, {
    status: 302,
    headers: {
      location: url,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}

/** GET /downloads/{artifactUid}: serves the content, only with a signed link (threats.md S4). */
export async function serveDownload(
  { db, blobs, secrets }: ServiceContext,
  uid: string,
  requestUrl: string,
): Promise<Response> {
  checkArtifactUid(uid);
  const disposition = verifySigned(secrets.download, 'GET', new URL(requestUrl), new Date());
  if (disposition === undefined)
    throw new ProblemError('not_authorized', { title: 'This link is invalid or has expired.' });
  const content = await db
    .selectFrom('artifact_contents')
    .where('uid', '=', uid)
    .select(['blob_key', 'content_type', 'size_bytes'])
    .executeTakeFirst();
  if (!content?.blob_key) throw new ProblemError('resource_not_found');
  const stream = await blobs.read(content.blob_key);
  return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': content.content_type,
      'content-length': String(content.size_bytes),
      'content-disposition': disposition,
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}

async function dataOf(context: ServiceContext, artifact: FoundArtifact): Promise<unknown> {
  const { data, contentType, isOwn } = artifact;
  if (artifact.type === 'PLAN')
    return { ...data, content: artifact.content ?? '', content_type: contentType };
  const { url, expiresAt } = await downloadLink(context, artifact);
  const { filepath, ...shown } = data;
  return {
    ...shown,
    ...(isOwn && filepath !== undefined ? { filepath } : {}),
    download_url: url,
    expires_at: expiresAt.toISOString(),
    content_type: contentType,
  };
}
