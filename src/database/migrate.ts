import type { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { RunlinkError, errorMessage } from '../base/error.ts';

export type Migrations = Record<string, Migration>;

/**
 * Brings a schema to its newest form, forward only, in one transaction, under a lock that makes any
 * number of processes starting at once safe. Names sort in the order they are applied.
 */
export async function migrate<T>(
  db: Kysely<T>,
  schema: string,
  migrations: Migrations,
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: schema,
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error)
    throw new RunlinkError(
      'migration_failed',
      `The database schema "${schema}" could not be brought up to date: ${errorMessage(error)}`,
      {
        hint: 'Is this data older than, or shared with, another version of Runlink?',
        cause: error,
      },
    );
  return (results ?? []).map((result) => result.migrationName);
}
