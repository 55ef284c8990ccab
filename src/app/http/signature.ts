import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether the header is GitHub's `sha256=` HMAC of exactly these bytes under one of the secrets
 * (threats.md G10). During a rotation the old and the new secret both hold. The comparison takes
 * constant time.
 */
export function isSigned(
  body: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
): boolean {
  if (header === undefined) return false;
  const given = Buffer.from(header);
  let matches = false;
  for (const secret of secrets) {
    const digest = createHmac('sha256', secret).update(body).digest('hex');
    const wanted = Buffer.from(`sha256=${digest}`);
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) matches = true;
  }
  return matches;
}
