import { sql, type Kysely } from 'kysely';

/** What was last read of a repository's configuration. */
export interface StoredConfig {
  /** Validates the next read; absent when there was no file. */
  etag: string | null;
  /** The last text that was without fault. */
  good: string | null;
  checkedAt: Date;
}

export async function readStoredConfig(
  db: Kysely<unknown>,
  repository: string,
): Promise<StoredConfig | undefined> {
  const { rows } = await sql<StoredConfig>`
    select etag, good, checked_at as "checkedAt" from app.configs
    where repository = ${repository}`.execute(db);
  return rows[0];
}

/** Remembers a read; `good` undefined keeps the last good text in force. */
export async function storeConfig(
  db: Kysely<unknown>,
  repository: string,
  read: { etag: string | null; good?: string | null },
): Promise<void> {
  await sql`
    insert into app.configs (repository, etag, good)
    values (${repository}, ${read.etag}, ${read.good ?? null})
    on conflict (repository) do update set etag = excluded.etag, checked_at = now(),
      good = case when ${read.good !== undefined} then excluded.good else app.configs.good end
    `.execute(db);
}
