import { sql } from 'kysely';
import type { ServiceContext } from '../context.ts';

const BATCH = 100;

/**
 * Deletes contents that no artifact refers to any more; answers how many. Any number of nodes may
 * do this at once.
 */
export async function sweepBlobs({
  db,
  blobs,
}: Pick<ServiceContext, 'db' | 'blobs'>): Promise<number> {
  return db.transaction().execute(async (trx) => {
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
