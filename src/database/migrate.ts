import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { RunlinkError, errorMessage } from '../base/error.ts';

export type Migrations = Record<string, Migration>;

/**
 * Migrates a schema to its newest version, in one transaction, under a lock, so that any number of
 * processes may start at once. Migrations run in the order of their names, and only forward. A
 * schema that a newer release has migrated further is left as it is, because migrations only add
 * (CONTRIBUTING.md). `upTo`: the last migration to run.
 */
export async function migrate<T>(
  db: Kysely<T>,
  schema: string,
  migrations: Migrations,
  upTo?: string,
): Promise<string[]> {
  const newer = await newerSteps(db, schema, migrations);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations, ...newer }) },
    migrationTableSchema: schema,
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
  const { error, results } = await (upTo === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(upTo));
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

/** Migrations that a newer release has run, as ones that do nothing. */
async function newerSteps<T>(
  db: Kysely<T>,
  schema: string,
  migrations: Migrations,
): Promise<Migrations> {
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass(${`${schema}.migrations`}) is not null as found`.execute(db);
  if (!tables[0]?.found) return {};
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.id(schema, 'migrations')}`.execute(db);
  const last = Object.keys(migrations).toSorted().at(-1) ?? '';
  const newer = rows.filter(({ name }) => name > last);
  return Object.fromEntries(newer.map(({ name }) => [name, { up: async () => {} }]));
}
