import type { Command } from 'commander';
import { commandLog } from '../command-log.ts';
import { databaseLocation, type DataOptions } from '../locate.ts';
import { addDataOptions } from './serve.ts';

export function addMigrateCommand(program: Command): void {
  addDataOptions(program.command('migrate'))
    .addHelpText(
      'after',
      `
serve and app do the same when they start; steps only add, so older processes go on meanwhile. Any number
may do it at once: one does, the others wait.

Example:
  $ runlink migrate --database-url postgres://runlink@db/runlink`,
    )
    .action(migrate);
}

async function migrate(options: DataOptions): Promise<void> {
  const { openServiceDatabase } = await import('../../service/create-service.ts');
  const { openTables } = await import('../../database/open-database.ts');
  const { appMigrations } = await import('../../app/store/migrations.ts');
  const log = await commandLog('migrate', 'warn');
  const database = await openServiceDatabase(databaseLocation(options, 'guest'), log);
  try {
    const app = { location: { url: database.url }, schema: 'app', migrations: appMigrations, log };
    await (await openTables(app)).close();
  } finally {
    await database.close();
  }
  process.stdout.write('The database is up to date.\n');
}
