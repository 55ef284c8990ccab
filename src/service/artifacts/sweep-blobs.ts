import { sql } from 'kysely';
import { BACKUP_LOCK } from '../../database/backup/hold.ts';
import type { ServiceContext } from '../context.ts';

const BATCH = 100;

/**
 * Deletes contents that no artifact refers to any more; returns how many. Any number of nodes may
 * do this at the same time. Nothing is deleted during a backup.
 */
export async function sweepBlobs({
  db,
  blobs,
}: Pick<ServiceContext, 'db' | 'blobs'>): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock_shared(${BACKUP_LOCK}) as free`.execute(trx);
    if (!rows[0]?.free) return 0;
    const garbage = await trx
      .selectFrom('blob_garbage')
      .where('delete_after', '<', sql<Date>`now()`)
      .select('key')
      .limit(BATCH)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const { key } of garbage) {
      await blobs.delete(key);
      await trx.deleteFrom('blob_garbage').where('key', '=', key).execute();
    }
    return garbage.length;
  });
}
