import { basename } from 'node:path/posix';
import { ProblemError } from '../../contract/problem.ts';
import { SIGNED_URL_SECONDS, attachmentDisposition, signPath } from '../blobs/sign.ts';
import type { ServiceContext } from '../context.ts';
import { API_PREFIX } from '../http/mount.ts';
import type { FoundArtifact } from './find-artifact.ts';

export interface DownloadLink {
  url: string;
  expiresAt: Date;
}

/**
 * A time-limited link to a file's content: the store's own if it makes links, otherwise one to this
 * service.
 */
export async function downloadLink(
  { blobs, secrets, publicUrl }: Pick<ServiceContext, 'blobs' | 'secrets' | 'publicUrl'>,
  artifact: FoundArtifact,
): Promise<DownloadLink> {
  if (artifact.blobKey === null)
    throw new ProblemError('invalid_request', {
      detail: 'A plan has no download; its content is in the artifact itself.',
    });
  const expiresAt = new Date(Date.now() + SIGNED_URL_SECONDS * 1000);
  const disposition = attachmentDisposition(basename(artifact.identity));
  const stored = await blobs.signedUrl(artifact.blobKey, {
    contentType: artifact.contentType,
    disposition,
    expiresInSeconds: SIGNED_URL_SECONDS,
  });
  if (stored !== undefined) return { url: stored, expiresAt };
  const path = `${API_PREFIX}/downloads/${artifact.uid}`;
  const signed = signPath(secrets.download, { method: 'GET', path, disposition, expiresAt });
  return { url: publicUrl() + signed, expiresAt };
}
