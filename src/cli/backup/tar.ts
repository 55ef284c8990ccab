import { ByteReader } from '../../base/byte-reader.ts';
import { RunlinkError } from '../../base/error.ts';

const BLOCK = 512;
/**
 * Where a header keeps each field (POSIX ustar). Why we read and write it ourselves: decisions.md
 * D33.
 */
const FIELDS = { name: [0, 100], size: [124, 12], sum: [148, 8] } as const;

/** One file while an archive is read. Content that nobody reads is skipped. */
export interface TarEntry {
  name: string;
  size: number;
  content: AsyncIterable<Buffer>;
}

export function broken(what: string): RunlinkError {
  return new RunlinkError('archive_broken', `This archive cannot be used: ${what}.`, {
    hint: 'Was it copied to its end? Take another one.',
  });
}

const octal = (value: number, length: number): string =>
  `${value.toString(8).padStart(length - 1, '0')}\0`;

/** The header of a file that only its owner may read. */
function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100);
  header.write('        0', FIELDS.sum[0]);
  header.write('ustar\x0000', 257);
  header.write(octal(sumOf(header), 7), FIELDS.sum[0]);
  return header;
}

/** The checksum of a header, in which the checksum field itself counts as spaces. */
function sumOf(header: Buffer): number {
  const [from, length] = FIELDS.sum;
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= from && at < from + length ? 32 : byte;
  return sum;
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** Writes a file of an archive. Throws if the content does not have the announced size. */
export async function* tarEntry(
  name: string,
  size: number,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield headerOf(name, size);
  let left = size;
  for await (const piece of content) {
    left -= piece.length;
    yield piece;
  }
  if (left !== 0)
    throw new RunlinkError('backup_failed', `${name} is not of the ${size} bytes it should be.`);
  yield padding(size);
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

/**
 * Reads the files of an archive one after another. Throws `archive_broken` if it ends too early.
 */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(stream, (fault) => {
    throw broken(fault);
  });
  for (;;) {
    const header = await bytes.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const field = ([at, length]: readonly [number, number]): string =>
      header.toString('latin1', at, at + length).split('\0', 1)[0] ?? '';
    const size = parseInt(field(FIELDS.size), 8);
    if (parseInt(field(FIELDS.sum), 8) !== sumOf(header)) throw broken('it is damaged');
    const content = bytes.bytes(size);
    yield { name: field(FIELDS.name), size, content };
    for await (const _ of content);
    await bytes.exactly(padding(size).length);
  }
}
