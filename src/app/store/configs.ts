import { sql, type Kysely } from 'kysely';

/** The last configuration of a repository that was without fault. */
export interface StoredConfig {
  /** Validates the next read. */
  etag: string | null;
  /** Its text; null where there was no file. */
  good: string | null;
}

export async function readStoredConfig(
  db: Kysely<unknown>,
  repository: string,
): Promise<StoredConfig | undefined> {
  const { rows } = await sql<StoredConfig>`
    select etag, good from app.configs where repository = ${repository}`.execute(db);
  return rows[0];
}

export async function storeConfig(
  db: Kysely<unknown>,
  repository: string,
  { etag, good }: StoredConfig,
): Promise<void> {
  await sql`
    insert into app.configs (repository, etag, good) values (${repository}, ${etag}, ${good})
    on conflict (repository) do update
    set etag = excluded.etag, good = excluded.good, checked_at = now()`.execute(db);
}
