import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** Revokes a run's own keys at the end of its execution (threats.md S3). */
export async function endRunKeys(db: Db, runId: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('run_id', '=', runId)
    .where('kind', '=', 'run')
    .where('revoked_at', 'is', null)
    .execute();
}
