import type { IncomingMessage } from 'node:http';

/** GitHub delivers nothing larger (bots.md 3). */
export const PAYLOAD_MAX_BYTES = 25 * 1024 * 1024;

/** The raw bytes of a request, or `too_large` as soon as more than the cap is announced or received. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too_large'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too_large';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return 'too_large';
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
}
