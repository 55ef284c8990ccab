import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * How long a download link is valid: 15 minutes, at the long end of what comparable services use
 * (decisions.md D8).
 */
export const SIGNED_URL_SECONDS = 900;

interface Signed {
  method: string;
  /** Path of the URL, without query. */
  path: string;
  /** `Content-Disposition` of the answer; it is part of the signature. */
  disposition: string;
  expiresAt: Date;
}

/** The path with a signed query, valid until `expiresAt` (threats.md S4). */
export function signPath(secret: string, signed: Signed): string {
  const query = new URLSearchParams({
    expires: String(Math.floor(signed.expiresAt.getTime() / 1000)),
    disposition: signed.disposition,
    signature: signature(secret, signed).toString('base64url'),
  });
  return `${signed.path}?${query.toString()}`;
}

/** The disposition that a signed URL was made with; undefined if the URL is forged or expired. */
export function verifySigned(
  secret: string,
  method: string,
  url: URL,
  now: Date,
): string | undefined {
  const expires = url.searchParams.get('expires') ?? '';
  const disposition = url.searchParams.get('disposition') ?? '';
  const given = Buffer.from(url.searchParams.get('signature') ?? '', 'base64url');
  if (!/^\d{1,12}$/.test(expires)) return undefined;
  const expiresAt = new Date(Number(expires) * 1000);
  const expected = signature(secret, { method, path: url.pathname, disposition, expiresAt });
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return expiresAt > now ? disposition : undefined;
}

/** `attachment` with a file name for every browser: in plain ASCII and in RFC 5987 form. */
export function attachmentDisposition(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function signature(secret: string, signed: Signed): Buffer {
  const { method, path, disposition } = signed;
  const seconds = Math.floor(signed.expiresAt.getTime() / 1000);
  return createHmac('sha256', secret)
    .update(JSON.stringify([method, path, seconds, disposition]))
    .digest();
}
