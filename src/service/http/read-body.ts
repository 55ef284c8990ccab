import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isStorable, UNSTORABLE } from '../../contract/primitives.ts';
import { ProblemError, type ErrorCode } from '../../contract/problem.ts';

/**
 * Deepest nesting of a JSON body (threats.md S9). Our own limit; the deepest schema needs eight.
 */
const DEPTH_MAX = 64;
const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

const unpack = promisify(gunzip);

/** The body's compression. Throws if it is one that we cannot decompress. */
export function packingOf(request: Request): 'gzip' | undefined {
  const coding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (coding === 'identity') return undefined;
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  throw new ProblemError('unsupported_media_type', {
    field: 'Content-Encoding',
    detail: `Content-Encoding: "${coding}" is not understood here; send gzip, or the body as it is`,
  });
}

async function readUnpacked(request: Request, maxBytes: number): Promise<Buffer> {
  const packing = packingOf(request);
  const bytes = await readBytes(request, maxBytes);
  if (!packing) return bytes;
  return unpack(bytes, { maxOutputLength: maxBytes }).catch((cause: unknown) => {
    if (cause instanceof RangeError) throw tooLarge(maxBytes);
    throw new ProblemError('invalid_request', {
      detail: 'The body is not well-formed gzip.',
      field: 'body',
      cause,
    });
  });
}

/** Keeps an integer exact if a number would lose digits. */
function asWritten(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return /^-?\d{16,}$/.test(source) && String(value) !== source ? BigInt(source) : value;
}

function decode(bytes: Buffer, reviver?: typeof asWritten): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return JSON.parse(text, reviver);
  } catch {
    throw new ProblemError('invalid_request', {
      detail: 'The body is not well-formed JSON in UTF-8.',
      field: 'body',
    });
  }
}

function refuse(path: readonly string[], what: string, code: ErrorCode = 'invalid_request'): never {
  const field = path.slice(0, 8).join('.') || 'body';
  throw new ProblemError(code, { detail: `${field} ${what}`, field });
}

/**
 * Refuses text and numbers that no column could store, anywhere in the body. Returns whether there
 * are integers that may have lost digits.
 */
function checkStorable(value: unknown, path: readonly string[]): boolean {
  if (path.length > DEPTH_MAX) refuse(path, 'is nested too deeply');
  if (typeof value === 'string') checkText(value, path);
  else if (typeof value === 'bigint')
    refuse(path, 'has more digits than a number keeps: send it as text', 'operation_not_supported');
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(path, 'is out of range');
    return Number.isInteger(value) && !Number.isSafeInteger(value);
  } else if (typeof value === 'object' && value !== null) {
    let mayHaveLost = false;
    for (const [key, item] of Object.entries(value)) {
      checkText(key, path);
      if (checkStorable(item, [...path, key])) mayHaveLost = true;
    }
    return mayHaveLost;
  }
  return false;
}

function checkText(value: string, path: readonly string[]): void {
  if (!isStorable(value)) refuse(path, UNSTORABLE);
}

/**
 * Reads a request's JSON body; undefined if it is empty and optional. With `partsAlone` the check
 * for storable values is left to the schema, so that one bad part does not refuse the others.
 */
export async function readJsonBody(
  request: Request,
  options: { maxBytes: number; optional: boolean; partsAlone?: boolean },
): Promise<unknown> {
  const type = request.headers.get('content-type');
  if (type !== null && !JSON_TYPE.test(type)) throw new ProblemError('unsupported_media_type');
  const bytes = await readUnpacked(request, options.maxBytes);
  if (bytes.length === 0 && options.optional) return undefined;
  if (type === null) throw new ProblemError('unsupported_media_type');
  const value = decode(bytes);
  if (!options.partsAlone && checkStorable(value, [])) checkStorable(decode(bytes, asWritten), []);
  return value;
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError('payload_too_large', {
    detail: `The body may hold at most ${maxBytes} bytes.`,
  });
}

/** Reads the body; stops as soon as it is too large. */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  // Node enforces the announced length; without one we have to count.
  if (length !== null) return Buffer.from(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
