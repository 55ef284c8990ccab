import { hash, createHmac, randomBytes } from 'node:crypto';

/** Prefix by which secret scanners recognise our keys (threats.md S1). */
const PREFIX = 'rl_';
/** 192 random bits; threats.md S1 asks for at least 160. */
const KEY_BYTES = 24;
const SHOWN = 4;

/** The text of a new key, which is shown only once. */
export function createKeyText(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64url');
}

/**
 * The key for one execution of a run. It is derived from a secret of the service and not stored, so
 * that a worker can get it again after a restart.
 */
export function runKeyText(secret: string, runId: string, attempt: number): string {
  return derivedKeyText(secret, `${runId}:${attempt}`);
}

/** The same as an SQL expression over an id, an attempt and the result of `hmacPads`. */
export const runKeyInSql = (id: string, attempt: string, inner: string, outer: string): string =>
  `'${PREFIX}' || translate(encode(substring(sha256(${outer} ||
    sha256(${inner} || convert_to(${id} || ':' || ${attempt}, 'UTF8'))) for ${KEY_BYTES}), 'base64'), '+/', '-_')`;

/**
 * The two blocks that HMAC-SHA-256 (RFC 2104) derives from a secret: for the inner and the outer
 * hash.
 */
export function hmacPads(secret: string): [inner: Buffer, outer: Buffer] {
  const bytes = Buffer.from(secret);
  const block = Buffer.alloc(64);
  block.set(bytes.length > block.length ? hashSecret(secret) : bytes);
  return [block.map((byte) => byte ^ 0x36), block.map((byte) => byte ^ 0x5c)].map((pad) =>
    Buffer.from(pad),
  ) as [Buffer, Buffer];
}

/** The key for a sign-in from a command line; asking again gives the same key. */
export function loginKeyText(secret: string, loginId: string, verifier: string): string {
  return derivedKeyText(secret, `login:${loginId}:${verifier}`);
}

/** The key for a request with an `Idempotency-Key`; repeating the request gives the same key. */
export function onceKeyText(secret: string, keyId: string): string {
  return derivedKeyText(secret, `once:${keyId}`);
}

function derivedKeyText(secret: string, origin: string): string {
  const bytes = createHmac('sha256', secret).update(origin).digest();
  return PREFIX + bytes.subarray(0, KEY_BYTES).toString('base64url');
}

/** The stored form of a key or token. A plain hash is enough for a random secret of this length. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The first and last characters, by which an owner recognises a key. */
export function endsOf(raw: string): { prefix: string; suffix: string } {
  return { prefix: raw.slice(0, PREFIX.length + SHOWN), suffix: raw.slice(-SHOWN) };
}

/**
 * SQL: whether a hash in hex, unless null, belongs to a valid key. With `exists`, PostgreSQL would
 * read all keys.
 */
export const isGoodHash = (hash: string): string =>
  `(${hash} is null
    or (select true from api_keys k where k.hash = decode(${hash}, 'hex') and ${isGoodKey('k')}))`;

/** SQL: whether a row of `api_keys` is a valid key. */
export const isGoodKey = (key: string): string =>
  `${key}.revoked_at is null and (${key}.expires_at is null or ${key}.expires_at > now())`;
