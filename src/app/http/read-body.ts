import type { IncomingMessage } from 'node:http';

/** The largest payload that GitHub delivers (github.md, "Deliveries"). */
export const PAYLOAD_MAX_BYTES = 25 * 1024 * 1024;

/**
 * The raw bytes of a request; `too_large` as soon as more than the limit is announced or received.
 * Rejects if the sender breaks off.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too_large'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too_large';
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        resolve('too_large');
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(join(chunks, size)));
    request.on('error', reject);
  });
}

/** Most payloads arrive in one piece and need not be copied. */
function join(chunks: readonly Buffer[], size: number): Buffer {
  const [first] = chunks;
  return first?.length === size ? first : Buffer.concat(chunks, size);
}
