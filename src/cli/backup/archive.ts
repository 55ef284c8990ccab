import { z } from 'zod';
import { errorMessage, RunlinkError } from '../../base/error.ts';
import { broken, tarEntry, type TarEntry } from './tar.ts';
import { databaseOfBackup } from '../../database/backup/dump-tables.ts';

/** Size of the pieces that rows are read in; one piece is in memory at a time. */
const PIECE_BYTES = 1024 * 1024;
/** The longest of our own JSON files. */
const JSON_MAX_BYTES = 64 * 1024 * 1024;

/** What an archive begins with. */
export const manifest = z.object({
  format: z.literal(1, 'this release does not know its format'),
  taken_at: z.iso.datetime(),
  database: databaseOfBackup,
  /** Whether the archive includes the contents of artifacts. */
  contents: z.boolean(),
});
/** The last entry of an archive; without it the archive is incomplete. */
export const ending = z.object({
  counters: z.record(z.string(), z.string()),
  judges: z.array(z.unknown()),
  contents: z.int(),
  /** Contents that the store no longer had. */
  missing: z.array(z.string()),
});

export const MANIFEST = 'manifest.json';
export const END_FILE = 'end.json';
/** The key files that a service and its App keep beside their database. */
export const KEY_FILES = ['owner.key', 'worker.key', 'app.key', 'app.env'];

const FILE_CODES = /^(ENOENT|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|ENOSPC|EDQUOT)$/;

/** A disk's error in plain words; any other error unchanged. */
export function fileFailed(error: unknown, what: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof RunlinkError || !FILE_CODES.test(code)) return error;
  const hint = 'Name a file and a --data directory that are yours to use, on a disk with room.';
  return new RunlinkError('file_unusable', `${what}: ${errorMessage(error)}`, {
    hint,
    cause: error,
  });
}

/** An error of the blob store in plain words; errors of the archive itself unchanged. */
export function storeFailed(error: unknown): unknown {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (cause instanceof RunlinkError || /^Z_|^ABORT_ERR$/.test(code)) return cause;
  return new RunlinkError('store_failed', `The store of contents failed: ${errorMessage(cause)}`, {
    hint: 'Check "storage" in runlink.yaml (--config), its keys, and its room.',
    cause: error,
  });
}

export function jsonEntry(name: string, value: unknown): AsyncGenerator<Buffer> {
  const text = Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
  return tarEntry(name, text.length, [text]);
}

export async function readJson<T extends z.ZodType>(
  { name, size, content }: TarEntry,
  shape: T,
): Promise<z.output<T>> {
  if (size > JSON_MAX_BYTES) throw broken(`${name} is too long`);
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  try {
    const { data, error } = shape.safeParse(JSON.parse(Buffer.concat(pieces).toString()));
    if (error) throw broken(error.issues[0]?.message ?? `${name} is not as it should be`);
    return data;
  } catch (error) {
    if (error instanceof SyntaxError) throw broken(`${name} is damaged`);
    throw error;
  }
}

/** Splits a stream into files of about a mebibyte, each ending at the end of a line. */
export async function* inPieces(
  name: string,
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let number = 0;
  let held: Buffer[] = [];
  let bytes = 0;
  const file = (content: Buffer[]): AsyncGenerator<Buffer> => {
    const size = content.reduce((sum, { length }) => sum + length, 0);
    number += 1;
    return tarEntry(`${name}/${String(number).padStart(9, '0')}`, size, content);
  };
  for await (const chunk of stream) {
    const end = chunk.lastIndexOf('\n') + 1;
    bytes += chunk.length;
    if (bytes < PIECE_BYTES || end === 0) {
      held.push(chunk);
      continue;
    }
    yield* file([...held, chunk.subarray(0, end)]);
    held = [chunk.subarray(end)];
    bytes = chunk.length - end;
  }
  if (bytes > 0) yield* file(held);
}
