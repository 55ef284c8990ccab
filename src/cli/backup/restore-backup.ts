import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Pool, type Client } from 'pg';
import type { z } from 'zod';
import { appMigrations } from '../../app/store/migrations.ts';
import { lookBeforePosting } from '../../app/store/restored.ts';
import { RunlinkError } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { broken, readTar, type TarEntry } from './tar.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import { ROOMS } from '../../database/backup/dump-tables.ts';
import {
  beginRestore,
  connectAlone,
  discardHalf,
  finishRestore,
  restoreOf,
} from '../../database/backup/hold.ts';
import { openLoader, roomsIn, type Loader } from '../../database/backup/load-tables.ts';
import { explainFailure } from '../../database/failure.ts';
import { openPlace, openTables, type DatabaseLocation } from '../../database/open-database.ts';
import { createService, SERVICE_TABLES, type Service } from '../../service/create-service.ts';
import { settleRestored, type Settled } from '../../service/restore/settle-restored.ts';
import {
  ending,
  END_FILE,
  fileFailed,
  KEY_FILES,
  MANIFEST,
  manifest,
  readJson,
  storeFailed,
} from './archive.ts';

export interface RestoreOptions {
  file: string;
  location: DatabaseLocation;
  dataDir: string;
  config: OperatorConfig;
  variables: Record<string, string | undefined>;
  log: Log;
  signal: AbortSignal;
}

export interface Restored extends Settled {
  taken_at: string;
  contents: number;
}

type Manifest = z.output<typeof manifest>;
type Ending = z.output<typeof ending>;
const TABLES = { runlink: SERVICE_TABLES, app: { schema: 'app', migrations: appMigrations } };

/** Fills an empty database from an archive. If it is killed, the same command starts over. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  await makeFolder(options.dataDir);
  const database = await openPlace(options.location, options.log);
  const { url } = database;
  const pool = new Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  let client: Client | undefined;
  try {
    const alone = (client = await connectAlone(url, 'runlink-restore'));
    const found = { result: undefined as Restored | undefined };
    await pipeline(
      createReadStream(options.file),
      createGunzip(),
      async (bytes: AsyncIterable<Buffer>) => {
        found.result = await restoreFrom(readTar(bytes), { ...options, url, pool, alone });
      },
      { signal: options.signal },
    );
    if (!found.result) throw broken('it ends too early');
    return found.result;
  } catch (error) {
    throw explainFailure(fileFailed(explain(error), `${options.file} cannot be restored`));
  } finally {
    await client?.end();
    await pool.end();
    await database.close();
  }
}

interface Target extends RestoreOptions {
  url: string;
  pool: Pool;
  alone: Client;
}

async function restoreFrom(entries: AsyncGenerator<TarEntry>, target: Target): Promise<Restored> {
  const first = await entries.next();
  if (first.done || first.value.name !== MANIFEST) throw broken('it is no backup of Runlink');
  const said = await readJson(first.value, manifest);
  checkSteps(said);
  await makeRoom(target, said);
  const loader = await openLoader(target.alone, said.database.tables);
  const filled: Filled = { contents: 0, service: undefined, isOpen: false };
  try {
    for await (const entry of entries) {
      if (entry.name !== END_FILE) {
        await takeEntry(target, said, loader, filled, entry);
        continue;
      }
      const end = await readJson(entry, ending);
      if (end.contents !== filled.contents) throw broken('contents are missing');
      return await settle(target, said, end, await open(target, said, loader, filled));
    }
    throw broken('it ends too early');
  } finally {
    await filled.service?.stop();
  }
}

/** What exists so far; the service is opened once its tables are filled. */
interface Filled {
  contents: number;
  service: Service | undefined;
  isOpen: boolean;
}

async function open(
  target: Target,
  said: Manifest,
  loader: Loader,
  filled: Filled,
): Promise<Service | undefined> {
  if (!filled.isOpen) filled.service = await openFilled(target, said, loader);
  filled.isOpen = true;
  return filled.service;
}

async function takeEntry(
  target: Target,
  said: Manifest,
  loader: Loader,
  filled: Filled,
  entry: TarEntry,
): Promise<void> {
  const [kind = '', ...rest] = entry.name.split('/');
  const name = rest.join('/');
  if (kind === 'files') return keepFile(target.dataDir, name, entry);
  if (kind === 'tables') return loadPiece(said, loader, rest[0] ?? '', entry);
  if (kind !== 'contents') throw broken(`it has an unknown part ${entry.name}`);
  await putContent(await open(target, said, loader, filled), name, entry);
  filled.contents += 1;
}

function checkSteps({ database: { rooms } }: Manifest): void {
  for (const [room, step] of Object.entries(rooms)) {
    if (step in TABLES[room === 'app' ? 'app' : 'runlink'].migrations) continue;
    throw new RunlinkError('archive_newer', `A newer release made this backup (${step}).`, {
      hint: 'Restore it with that release or a later one.',
    });
  }
}

/** Creates the schemas as they were when the backup was made, in a database without ours. */
async function makeRoom(target: Target, { database, taken_at }: Manifest): Promise<void> {
  const { url, pool, log } = target;
  const earlier = await restoreOf(pool);
  if (earlier && !earlier.finished) await discardHalf(pool, [...ROOMS, 'runlink_jobs']);
  else if ((await roomsIn(pool)).length > 0)
    throw new RunlinkError('not_empty', 'There is a service in this database already.', {
      hint: 'Restore into an empty one: another --data directory, or a new database for --database-url.',
    });
  await beginRestore(pool, taken_at);
  for (const room of ROOMS) {
    const upTo = database.rooms[room];
    if (upTo === undefined) continue;
    const tables = await openTables({
      ...TABLES[room],
      location: { url },
      upTo,
      restoring: true,
      log,
    });
    await tables.close();
  }
}

async function loadPiece(
  { database }: Manifest,
  loader: Loader,
  name: string,
  { content }: TarEntry,
): Promise<void> {
  const table = database.tables.find((one) => `${one.schema}.${one.name}` === name);
  if (!table) throw broken(`it has an unknown table ${name}`);
  await loader.rows(table, content);
}

/** Commits the rows, migrates the schemas and opens the service on them. */
async function openFilled(
  { url, dataDir, config, variables, log }: Target,
  { database: { rooms } }: Manifest,
  loader: Loader,
): Promise<Service | undefined> {
  await loader.commit();
  if (rooms.app !== undefined) {
    const app = await openTables({ ...TABLES.app, location: { url }, restoring: true, log });
    await app.close();
  }
  if (rooms.runlink === undefined) return undefined;
  const publicUrl = (): string => '';
  const database = { url };
  return createService({ database, dataDir, publicUrl, variables, log, config, restoring: true });
}

async function putContent(
  service: Service | undefined,
  key: string,
  { size, content }: TarEntry,
): Promise<void> {
  if (!service) throw broken('it has contents without a service');
  const meta = { contentType: 'application/octet-stream', contentLength: size };
  const { blobs } = service.context;
  const put = blobs.put(key, Readable.from(content, { objectMode: false }), meta);
  await put.catch((error: unknown) => {
    throw storeFailed(error);
  });
}

async function settle(
  { pool }: Target,
  { taken_at, database: { rooms } }: Manifest,
  { counters, judges, contents }: Ending,
  service: Service | undefined,
): Promise<Restored> {
  for (const [name, value] of Object.entries(counters))
    await pool.query('select setval($1::regclass, greatest($2::bigint, 1))', [name, value]);
  const takenAt = new Date(taken_at);
  const settled = service
    ? await settleRestored(service.context, takenAt, judges)
    : { lost: 0, queued: 0 };
  if (rooms.app !== undefined) await lookBeforePosting(pool, takenAt);
  await finishRestore(pool);
  return { taken_at, contents, ...settled };
}

/** Keeps a key file; that of another service is never overwritten. */
async function keepFile(dataDir: string, name: string, entry: TarEntry): Promise<void> {
  if (!KEY_FILES.includes(name)) throw broken(`it has an unknown file ${name}`);
  const pieces: Buffer[] = [];
  for await (const piece of entry.content) pieces.push(piece);
  const content = Buffer.concat(pieces);
  const path = join(dataDir, name);
  const there = await readFile(path).catch(() => undefined);
  if (there && !there.equals(content))
    throw new RunlinkError('not_empty', `${path} is of another service.`, {
      hint: 'Restore into another --data directory, or move that file away.',
    });
  await writeFile(`${path}.partial`, content, { mode: 0o600, flush: true });
  await rename(`${path}.partial`, path);
}

function explain(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'Z_BUF_ERROR') return broken('it ends too early');
  if (error.code === 'Z_DATA_ERROR') return broken('it is damaged, or no backup of Runlink');
  return error;
}
