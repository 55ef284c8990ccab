import type { ArtifactItem } from '../../contract/artifact.ts';
import { uuid } from '../../contract/primitives.ts';
import { invalidField, ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import type { TeamPrincipal } from '../keys/principal.ts';
import { readableBy } from '../keys/spaces.ts';

/** An artifact that has content. */
export interface FoundArtifact {
  uid: string;
  type: ArtifactItem['artifact_type'];
  createdAt: Date;
  /** The path it was stored under; for a plan, a fixed word. */
  identity: string;
  data: Record<string, unknown>;
  blobKey: string | null;
  content: string | null;
  contentType: string;
  sizeBytes: number;
  /** Whether the reader may see the run; if not, they read the artifact because it is public. */
  isOwn: boolean;
}

/** Throws 400 unless the text is a UUID (interface.md 7.3). */
export function checkArtifactUid(uid: string): void {
  if (uuid.safeParse(uid).success) return;
  throw invalidField('artifactUid', 'must be a UUID');
}

/**
 * Finds an artifact for a reader of its team, or for anyone if it is public. Without a key, a
 * private and an unknown artifact are both 401; with another team's key both are 404 (interface.md
 * 4.4).
 */
export async function findArtifact(
  context: Pick<ServiceContext, 'db'>,
  caller: TeamPrincipal | undefined,
  uid: string,
): Promise<FoundArtifact> {
  checkArtifactUid(uid);
  const row = await readRow(context, uid);
  const isOwn =
    row !== undefined && caller !== undefined && readableBy(caller).includes(row.team_id);
  if (!row || (!isOwn && !row.public))
    throw new ProblemError(caller ? 'resource_not_found' : 'authentication_required');
  return {
    uid: row.uid,
    type: row.artifact_type,
    createdAt: row.created_at,
    identity: row.identity,
    data: row.data,
    blobKey: row.blob_key,
    content: row.content,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    isOwn,
  };
}

function readRow({ db }: Pick<ServiceContext, 'db'>, uid: string) {
  return db
    .selectFrom('artifacts as a')
    .innerJoin('artifact_contents as c', 'c.uid', 'a.uid')
    .where('a.uid', '=', uid)
    .select(['a.uid', 'a.team_id', 'a.artifact_type', 'a.created_at', 'a.identity', 'a.data'])
    .select(['c.public', 'c.blob_key', 'c.content', 'c.content_type', 'c.size_bytes'])
    .executeTakeFirst();
}
