import { artifactItem, type ArtifactItem } from '../../contract/artifact.ts';
import type { Db } from '../tables.ts';

/** The artifacts of each run, oldest first. */
export async function listArtifacts(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, ArtifactItem[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('artifacts as a')
    .leftJoin('artifact_contents as c', 'c.uid', 'a.uid')
    .where('a.run_id', 'in', runIds)
    .select(['a.run_id', 'a.artifact_type', 'a.created_at', 'a.data', 'c.public'])
    .orderBy('a.created_at')
    .orderBy('a.uid')
    .execute();
  const items = rows.map((row) => ({
    runId: row.run_id,
    item: artifactItem.parse({
      artifact_type: row.artifact_type,
      created_at: row.created_at.toISOString(),
      ...(row.public ? { public: true } : {}),
      data: row.data,
    }),
  }));
  return new Map(
    [...Map.groupBy(items, ({ runId }) => runId)].map(([runId, group]) => [
      runId,
      group.map(({ item }) => item),
    ]),
  );
}
