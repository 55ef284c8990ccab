import { NOW } from './database-time.ts';
import type { AppDb } from './tables.ts';

/** The last valid configuration of a repository. */
export interface StoredConfig {
  /** Makes the next read conditional. */
  etag: string | null;
  /** Its text; null if there was no file. */
  good: string | null;
}

export async function readStoredConfig(
  db: AppDb,
  repository: string,
): Promise<StoredConfig | undefined> {
  return db
    .selectFrom('configs')
    .where('repository', '=', repository)
    .select(['etag', 'good'])
    .executeTakeFirst();
}

export async function storeConfig(
  db: AppDb,
  repository: string,
  { etag, good }: StoredConfig,
): Promise<void> {
  await db
    .insertInto('configs')
    .values({ repository, etag, good })
    .onConflict((conflict) =>
      conflict.column('repository').doUpdateSet({ etag, good, checked_at: NOW }),
    )
    .execute();
}
