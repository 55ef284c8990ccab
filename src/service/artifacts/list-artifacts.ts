import type { Kysely } from 'kysely';
import { artifactItem, type ArtifactItem } from '../../contract/artifact.ts';
import type { ServiceTables } from '../tables.ts';

/** The artifacts of each run, oldest first. */
export async function listArtifacts(
  db: Kysely<ServiceTables>,
  runIds: readonly string[],
): Promise<Map<string, ArtifactItem[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('artifacts')
    .where('run_id', 'in', runIds)
    .select(['run_id', 'artifact_type', 'created_at', 'data'])
    .orderBy('created_at')
    .orderBy('uid')
    .execute();
  const items = rows.map((row) => ({
    runId: row.run_id,
    item: artifactItem.parse({
      artifact_type: row.artifact_type,
      created_at: row.created_at.toISOString(),
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
