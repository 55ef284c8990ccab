import { z } from 'zod';
import { keyed } from './keyed.ts';
import { filledText, text, timestamp, uuid } from './primitives.ts';

/** interface.md 2.3. */
export const artifactType = z.enum([
  'PLAN',
  'PULL_REQUEST',
  'SCREENSHOT',
  'FILE',
  'EXTERNAL_REFERENCE',
]);

/** Longest URL of an EXTERNAL_REFERENCE and of its look-up (interface.md 4.6). */
export const REFERENCE_URL_MAX = 2048;

const pullRequestData = z.object({ url: filledText(REFERENCE_URL_MAX), branch: filledText(1024) });
const externalReferenceData = z.object({
  reference_type: filledText(256),
  url: filledText(REFERENCE_URL_MAX),
  title: text(1024).optional(),
  metadata: keyed(z.string(), z.unknown()).optional(),
});

/** True if anyone who has its id may read it without a key; ours. */
const isPublic = { public: z.boolean().optional() };

/** An artifact in the list of its run (interface.md 2.3). */
export const artifactItem = z.discriminatedUnion('artifact_type', [
  z.object({
    artifact_type: z.literal('PLAN'),
    created_at: timestamp,
    ...isPublic,
    data: z.object({
      document_uid: z.string(),
      artifact_uid: z.string().optional(),
      notebook_uid: z.string().optional(),
      title: z.string().optional(),
      url: z.string().optional(),
    }),
  }),
  z.object({
    artifact_type: z.literal('PULL_REQUEST'),
    created_at: timestamp,
    data: z.object({
      url: z.string(),
      branch: z.string(),
      status: z.enum(['open', 'draft', 'merged', 'closed', 'unknown']).optional(),
    }),
  }),
  z.object({
    artifact_type: z.literal('SCREENSHOT'),
    created_at: timestamp,
    ...isPublic,
    data: z.object({
      artifact_uid: z.string(),
      mime_type: z.string(),
      description: z.string().optional(),
    }),
  }),
  z.object({
    artifact_type: z.literal('FILE'),
    created_at: timestamp,
    ...isPublic,
    data: z.object({
      artifact_uid: z.string(),
      filename: z.string(),
      mime_type: z.string(),
      filepath: z.string().optional(),
      title: z.string().optional(),
      description: z.string().optional(),
      size_bytes: z.int().optional(),
      /** When its content was last stored: a later execution may write the file again; ours. */
      written_at: timestamp.optional(),
    }),
  }),
  z.object({
    artifact_type: z.literal('EXTERNAL_REFERENCE'),
    created_at: timestamp,
    data: z.object({
      reference_type: z.string(),
      url: z.string(),
      title: z.string().optional(),
      metadata: keyed(z.string(), z.unknown()).optional(),
    }),
  }),
]);
export type ArtifactItem = z.infer<typeof artifactItem>;

/** Body of POST /harness-support/report-artifact (interface.md 4.6). */
export const reportArtifactRequest = z.discriminatedUnion('artifact_type', [
  z.object({ artifact_type: z.literal('PULL_REQUEST'), data: pullRequestData }),
  z.object({ artifact_type: z.literal('EXTERNAL_REFERENCE'), data: externalReferenceData }),
]);
export type ReportArtifactRequest = z.infer<typeof reportArtifactRequest>;

export const reportArtifactResponse = z.object({ artifact_uid: uuid });

/** Answer of GET /agent/run-by-external-reference (interface.md 4.2). */
export const runByReferenceResponse = z.object({ run_id: z.string() });

const artifactHead = { artifact_uid: z.string(), created_at: timestamp };
const downloadable = {
  download_url: z.string(),
  expires_at: timestamp,
  content_type: z.string(),
  description: z.string().optional(),
};

/** Answer of GET /agent/artifacts/{artifactUid} (interface.md 2.4). */
export const artifactResponse = z.discriminatedUnion('artifact_type', [
  z.object({
    ...artifactHead,
    artifact_type: z.literal('PLAN'),
    data: z.object({
      document_uid: z.string(),
      notebook_uid: z.string(),
      content: z.string(),
      content_type: z.string(),
      title: z.string().optional(),
      url: z.string().optional(),
    }),
  }),
  z.object({
    ...artifactHead,
    artifact_type: z.literal('SCREENSHOT'),
    data: z.object(downloadable),
  }),
  z.object({
    ...artifactHead,
    artifact_type: z.literal('FILE'),
    data: z.object({
      ...downloadable,
      filename: z.string(),
      /** Left out for readers of a public artifact who have no key (interface.md 4.4). */
      filepath: z.string().optional(),
      title: z.string().optional(),
      size_bytes: z.int().optional(),
    }),
  }),
]);
export type ArtifactResponse = z.infer<typeof artifactResponse>;

/** Largest file a run may leave as an artifact; ours. */
export const ARTIFACT_MAX_BYTES = 1024 * 1024 * 1024;

/** Query of POST /worker/runs/{runId}/artifacts, whose body is the content. */
export const uploadArtifactQuery = z.object({
  /** Path below the folder named by RUNLINK_ARTIFACTS, such as `shots/login.png`. */
  filepath: filledText(1024).refine(
    (path) => !path.split('/').some((part) => part === '' || part === '.' || part === '..'),
    'must be a path inside the folder',
  ),
  /** Images become SCREENSHOT, everything else FILE (run-lifecycle.md, "Where a run works"). */
  mime_type: z
    .string()
    .max(255)
    .toLowerCase()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a MIME type such as text/plain'),
  title: text(1024).optional(),
  description: text(4096).optional(),
});
export type UploadArtifactQuery = z.output<typeof uploadArtifactQuery>;

/** Body and answer of PUT /agent/artifacts/{artifactUid}/visibility; ours. */
export const artifactVisibility = z.object({ public: z.boolean() });
export const artifactVisibilityResponse = z.object({
  artifact_uid: z.string(),
  public: z.boolean(),
});

/** Query of a signed download link (threats.md S4). */
export const downloadQuery = z.object({
  expires: z.string().max(12),
  disposition: text(4096),
  signature: z.string().max(128),
});
