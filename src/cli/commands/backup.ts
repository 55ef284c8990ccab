import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { Pool } from 'pg';
import { RunlinkError } from '../../base/error.ts';
import { resume } from '../../database/backup/hold.ts';
import { explainFailure } from '../../database/failure.ts';
import { openPlace } from '../../database/open-database.ts';
import { commandLog } from '../command-log.ts';
import { wrongUse } from '../exit-code.ts';
import { interruptSignal } from '../interrupt.ts';
import {
  databaseLocation,
  dataDirectory,
  loadOperatorConfig,
  type DataOptions,
} from '../locate.ts';
import type { JsonFields } from '../output/json.ts';
import { addJsonOption, printerOf } from '../remote/remote.ts';
import { addDataOptions } from './serve.ts';

interface Options extends DataOptions {
  config?: string;
  contents: boolean;
  resume?: boolean;
  json?: JsonFields;
}

export function addBackupCommand(program: Command): void {
  addJsonOption(addDataOptions(program.command('backup <file>')))
    .option('--config <file>', 'configuration with the content store (default: runlink.yaml)')
    .option('--no-contents', 'leave out the contents of artifacts, as where S3 keeps them anyway')
    .addHelpText(
      'after',
      `
The file holds keys, and is readable by you alone. It has its name only once it is whole.

Example:
  $ runlink backup /backups/runlink-$(date +%F).tar.gz`,
    )
    .action(backup);
}

export function addRestoreCommand(program: Command): void {
  addJsonOption(addDataOptions(program.command('restore [file]')))
    .option('--config <file>', 'configuration with the content store (default: runlink.yaml)')
    .option('--resume', 'let runs, schedules and posts go on, which a restore holds')
    .addHelpText(
      'after',
      `
Examples:
  $ runlink restore backup.tar.gz --data /var/lib/runlink
  $ runlink restore backup.tar.gz --database-url postgres://runlink@db/runlink
  $ runlink restore --resume`,
    )
    .action(restore);
}

async function common(options: Options, name: string) {
  return {
    dataDir: dataDirectory(options),
    config: await loadOperatorConfig(options.config),
    variables: process.env,
    log: await commandLog(name, 'warn'),
    signal: interruptSignal(),
  };
}

async function backup(file: string, options: Options): Promise<void> {
  const { makeBackup } = await import('../backup/make-backup.ts');
  const made = await makeBackup({
    ...(await common(options, 'backup')),
    file,
    location: databaseLocation(options, 'guest'),
    contents: options.contents,
  });
  const kib = made.bytes / 1024;
  const size = kib < 1024 ? `${Math.ceil(kib)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
  printerOf(options).show(
    made,
    () =>
      `Wrote ${made.file}: ${size}, ${made.tables} tables and ${made.contents} contents as of ${made.taken_at}. It holds keys: keep it as you keep them.`,
  );
}

async function restore(file: string | undefined, options: Options): Promise<void> {
  if (options.resume) return goOn(options);
  if (file === undefined) throw wrongUse('Name the backup to restore, or give --resume.');
  await stat(file).catch((cause: unknown) => {
    throw new RunlinkError('file_missing', `There is no file ${file}.`, {
      hint: 'Name one that "runlink backup" wrote.',
      cause,
    });
  });
  const { restoreBackup } = await import('../backup/restore-backup.ts');
  const restored = await restoreBackup({
    ...(await common(options, 'restore')),
    file,
    location: databaseLocation(options, 'owner'),
  });
  const place = options.databaseUrl === undefined ? `--data ${options.data}` : '--database-url …';
  printerOf(options).show(
    restored,
    () => `Restored the service as of ${restored.taken_at}: ${restored.queued} runs wait, ${restored.lost} that were under way ended in ERROR, ${restored.contents} contents.
Nothing is given to workers, fired or written to GitHub yet. Start "runlink serve ${place}", look, cancel what should not run, then:
  runlink restore --resume ${place}`,
  );
}

async function goOn(options: Options): Promise<void> {
  const database = await openPlace(
    databaseLocation(options, 'guest'),
    await commandLog('restore', 'warn'),
  );
  const pool = new Pool({ connectionString: database.url, max: 1 });
  try {
    await resume(pool);
    printerOf(options).show({ resumed: true }, () => 'Runs, schedules and posts go on.');
  } catch (error) {
    throw explainFailure(error);
  } finally {
    await pool.end();
    await database.close();
  }
}
