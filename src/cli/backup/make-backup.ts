import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { RunlinkError } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { TAR_END, tarEntry } from './tar.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import { withSnapshot, type Snapshot } from '../../database/backup/dump-tables.ts';
import { explainFailure } from '../../database/failure.ts';
import { openPlace, type DatabaseLocation } from '../../database/open-database.ts';
import { openBlobStore, type BlobStore } from '../../service/blobs/store.ts';
import { storageCredentials } from '../../service/create-service.ts';
import {
  END_FILE,
  fileFailed,
  inPieces,
  jsonEntry,
  KEY_FILES,
  MANIFEST,
  storeFailed,
} from './archive.ts';

export interface BackupOptions {
  file: string;
  location: DatabaseLocation;
  dataDir: string;
  config: OperatorConfig;
  variables: Record<string, string | undefined>;
  /** Whether to include the contents of artifacts. */
  contents: boolean;
  log: Log;
  signal: AbortSignal;
}

export interface BackupMade {
  file: string;
  taken_at: string;
  bytes: number;
  tables: number;
  contents: number;
}

const PAGE = 500;

/**
 * Writes everything that a service keeps into one file. The file gets its name only once it is
 * complete.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupMade> {
  const file = resolve(options.file);
  refuseExisting(file);
  const partial = `${file}.partial`;
  const database = await openPlace(options.location, options.log);
  try {
    return await withSnapshot(database.url, async (snapshot) => {
      const counts = { contents: 0 };
      const handle = await open(partial, 'w', 0o600);
      await handle.chmod(0o600);
      const into = handle.createWriteStream({ flush: true });
      await pipeline(archive(options, snapshot, counts), createGzip(), into, {
        signal: options.signal,
      });
      refuseExisting(file);
      await rename(partial, file);
      await syncFolder(dirname(file));
      const {
        takenAt: taken_at,
        database: { tables },
      } = snapshot;
      return { file, taken_at, bytes: into.bytesWritten, tables: tables.length, ...counts };
    });
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw explainFailure(fileFailed(error, `${file} cannot be written`));
  } finally {
    await database.close();
  }
}

async function* archive(
  options: BackupOptions,
  snapshot: Snapshot,
  counts: { contents: number },
): AsyncGenerator<Buffer> {
  const { takenAt: taken_at, database } = snapshot;
  const contents = options.contents && 'runlink' in database.rooms;
  yield* jsonEntry(MANIFEST, { format: 1, taken_at, database, contents });
  yield* keyFiles(options.dataDir);
  for (const table of database.tables)
    yield* inPieces(`tables/${table.schema}.${table.name}`, snapshot.rows(table));
  const missing: string[] = [];
  if (contents) yield* contentsOf(options, snapshot, counts, missing);
  if (missing.length > 0)
    options.log.warn({ keys: missing }, 'contents are not in the store any more: left out');
  const [counters, judges] = [await snapshot.counters(), await snapshot.judges()];
  yield* jsonEntry(END_FILE, { counters, judges, missing, contents: counts.contents });
  yield TAR_END;
}

async function* keyFiles(dataDir: string): AsyncGenerator<Buffer> {
  for (const name of KEY_FILES) {
    const content = await readFile(join(dataDir, name)).catch(() => undefined);
    if (content) yield* tarEntry(`files/${name}`, content.length, [content]);
  }
}

async function* contentsOf(
  { config, dataDir, variables }: BackupOptions,
  snapshot: Snapshot,
  counts: { contents: number },
  missing: string[],
): AsyncGenerator<Buffer> {
  const blobs = await openBlobStore(config.storage, {
    defaultDirectory: join(dataDir, 'blobs'),
    ...storageCredentials(config, variables),
  });
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page = await snapshot.query<{ uid: string; key: string; size: string }>(
      `select uid, blob_key as key, size_bytes::text as size from runlink.artifact_contents
       where blob_key is not null and uid > $1 order by uid limit ${PAGE}`,
      [last],
    );
    for (const { key, size } of page) {
      const content = await readContent(blobs, key);
      if (!content) missing.push(key);
      else yield* tarEntry(`contents/${key}`, Number(size), content);
      if (content) counts.contents += 1;
    }
    const end = page.at(-1);
    if (!end) return;
    last = end.uid;
  }
}

async function readContent(blobs: BlobStore, key: string) {
  try {
    return await blobs.read(key);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw storeFailed(error);
  }
}

function isGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || error.name === 'NoSuchKey' || isGone(error.cause);
}

function refuseExisting(file: string): void {
  if (existsSync(file))
    throw new RunlinkError('file_exists', `${file} is there already.`, {
      hint: 'Name another file; a backup overwrites none.',
    });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().catch(() => undefined);
  await handle.close();
}
