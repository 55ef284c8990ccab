import { createHash } from 'node:crypto';
import { createDeflate, deflateSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { RunlinkError } from '../../../base/error.ts';
import { git } from '../../git/git.ts';
import type { ByteReader } from '../../../base/byte-reader.ts';
import { refuseResult } from './refuse.ts';

/** How much a run may send, counted unpacked. */
export interface ObjectLimits {
  /** All objects together. */
  totalBytes: number;
  objects: number;
}

/** A commit with a longer message is not a real one. */
const COMMIT_MAX_BYTES = 1024 * 1024;
/** Enough for half a million names in one directory. */
const TREE_MAX_BYTES = 32 * 1024 * 1024;
/** All trees and commits together; git holds them in memory to check their links. */
const LINKING_MAX_BYTES = 256 * 1024 * 1024;
/** Larger files are packed as a stream. */
const WHOLE_MAX_BYTES = 1024 * 1024;
const HEADER_MAX_BYTES = 128;
const LEVEL = { level: 1 };
/**
 * The contents of `.gitmodules` are not checked: they matter only when submodules are cloned, which
 * no worker does, and a repository may have had a bad one before. Whatever else git's own check
 * finds wrong is refused.
 */
const UNCHECKED = ['Blob', 'Large', 'Missing', 'Name', 'Parse', 'Path', 'Update', 'Url'];
const STRICT = `--strict=${UNCHECKED.map((part) => `gitmodules${part}=ignore`).join(',')}`;

const TYPES = { commit: 1, tree: 2, blob: 3 } as const;
type ObjectType = keyof typeof TYPES;

/**
 * Receives objects, in the form of `git cat-file --batch`, into the worker's own repository. They
 * come unpacked, so that a small stream cannot expand into a huge one. The pack is made here,
 * without deltas. git checks every object and every link: `--strict` refuses names such as `..` or
 * `.GIT`, and missing objects. Throws `result_refused`.
 */
export async function receiveObjects(
  gitDir: string,
  reader: ByteReader,
  objects: number,
  limits: ObjectLimits,
  signal: AbortSignal,
): Promise<void> {
  if (objects > limits.objects) refuseResult(`it has more than ${limits.objects} objects`);
  if (objects === 0) return;
  const input = packOf(objects, readObjects(reader, objects, limits.totalBytes));
  try {
    await git(['index-pack', '--stdin', STRICT], { gitDir, input, signal });
  } catch (error) {
    if (!(error instanceof RunlinkError) || error.code !== 'git_failed') throw error;
    refuseResult(error.message);
  }
}

interface IncomingObject {
  type: ObjectType;
  size: number;
  content: AsyncIterable<Buffer>;
}

async function* readObjects(
  reader: ByteReader,
  objects: number,
  totalBytes: number,
): AsyncGenerator<IncomingObject> {
  let total = 0;
  let linking = 0;
  for (let index = 0; index < objects; index += 1) {
    const { type, size } = readHeader(await reader.line(HEADER_MAX_BYTES));
    total += size;
    if (type !== 'blob') linking += size;
    if (total > totalBytes) refuseResult(`it is larger than ${totalBytes} bytes`);
    if (linking > LINKING_MAX_BYTES) refuseResult('its commits and directories are too large');
    if (type === 'commit' && size > COMMIT_MAX_BYTES) refuseResult('a commit is too large');
    if (type === 'tree' && size > TREE_MAX_BYTES) refuseResult('a directory is too large');
    yield { type, size, content: reader.bytes(size) };
    await reader.line(0);
  }
}

function readHeader(line: string): { type: ObjectType; size: number } {
  const [, type, digits] = /^[0-9a-f]{40} (commit|tree|blob) (\d{1,15})$/.exec(line) ?? [];
  return isType(type)
    ? { type, size: Number(digits) }
    : refuseResult('an object is missing or unknown');
}

const isType = (type: string | undefined): type is ObjectType =>
  type !== undefined && type in TYPES;

/**
 * Makes a pack, version 2 (gitformat-pack(5)): each object compressed by itself, and a digest of
 * everything.
 */
async function* packOf(
  count: number,
  objects: AsyncIterable<IncomingObject>,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha1');
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  digest.update(header);
  yield header;
  for await (const object of objects)
    for await (const piece of packed(object)) {
      digest.update(piece);
      yield piece;
    }
  yield digest.digest();
}

async function* packed({ type, size, content }: IncomingObject): AsyncGenerator<Buffer> {
  yield entryHead(type, size);
  if (size <= WHOLE_MAX_BYTES) yield deflateSync(await buffer(content), LEVEL);
  else yield* deflated(content);
}

async function* deflated(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const deflate = createDeflate(LEVEL);
  // A failure of the source also comes out of `deflate`.
  pipeline(content, deflate).catch(() => undefined);
  yield* deflate as AsyncIterable<Buffer>;
}

/**
 * Type and size in groups of seven bits, the lowest first; the first group holds four bits of the
 * size.
 */
function entryHead(type: ObjectType, size: number): Buffer {
  const bytes: number[] = [];
  let byte = TYPES[type] * 16 + (size % 16);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte + 128);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}
