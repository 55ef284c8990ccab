import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { readArtifact, redirectToDownload, serveDownload } from './read-artifact.ts';
import { setVisibility } from './set-visibility.ts';
import { uploadArtifact } from './upload-artifact.ts';

export function createArtifactHandlers(context: ServiceContext): ResourceHandlers<'artifacts'> {
  return {
    get: ({ caller, params }) => readArtifact(context, caller, params.artifactUid),
    download: ({ caller, params }) => redirectToDownload(context, caller, params.artifactUid),
    setVisibility: ({ caller, params, body }) =>
      setVisibility(context, caller, params.artifactUid, body.public),
    upload: (call) => uploadArtifact(context, call),
    content: ({ params, request }) => serveDownload(context, params.artifactUid, request.url),
  };
}
