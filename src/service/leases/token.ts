import { createHash } from 'node:crypto';

/** What is stored of a lease's token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
