import { hash, createHmac, randomBytes } from 'node:crypto';

/** Scanners recognise a key by this (threats.md S1). */
const PREFIX = 'rl_';
/** 192 random bits; at least 160 are asked for (threats.md S1). */
const KEY_BYTES = 24;
const SHOWN = 4;

/** A new raw key, to be shown once. */
export function createKeyText(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64url');
}

/**
 * The key of one execution of a run. Made from a secret of the service and not stored, so that its
 * worker can be given it again after a restart.
 */
export function runKeyText(secret: string, runId: string, attempt: number): string {
  return derivedKeyText(secret, `${runId}:${attempt}`);
}

/** The same as an SQL expression, of an id, an attempt and what `hmacPads` gives. */
export const runKeyInSql = (id: string, attempt: string, inner: string, outer: string): string =>
  `'${PREFIX}' || translate(encode(substring(sha256(${outer} ||
    sha256(${inner} || convert_to(${id} || ':' || ${attempt}, 'UTF8'))) for ${KEY_BYTES}), 'base64'), '+/', '-_')`;

/** A secret as HMAC-SHA-256 (RFC 2104) puts it before what it hashes: inside, then outside. */
export function hmacPads(secret: string): [inner: Buffer, outer: Buffer] {
  const bytes = Buffer.from(secret);
  const block = Buffer.alloc(64);
  block.set(bytes.length > block.length ? hashSecret(secret) : bytes);
  return [block.map((byte) => byte ^ 0x36), block.map((byte) => byte ^ 0x5c)].map((pad) =>
    Buffer.from(pad),
  ) as [Buffer, Buffer];
}

/** The key that a sign-in from a command line gives, the same however often it is asked for. */
export function loginKeyText(secret: string, loginId: string, verifier: string): string {
  return derivedKeyText(secret, `login:${loginId}:${verifier}`);
}

/** The key that a request with an `Idempotency-Key` made, the same however often that arrives. */
export function onceKeyText(secret: string, keyId: string): string {
  return derivedKeyText(secret, `once:${keyId}`);
}

function derivedKeyText(secret: string, origin: string): string {
  const bytes = createHmac('sha256', secret).update(origin).digest();
  return PREFIX + bytes.subarray(0, KEY_BYTES).toString('base64url');
}

/** What is stored of a key or a token: a plain hash is enough for a random secret of this length. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The ends of a key, by which its owner knows it again. */
export function endsOf(raw: string): { prefix: string; suffix: string } {
  return { prefix: raw.slice(0, PREFIX.length + SHOWN), suffix: raw.slice(-SHOWN) };
}

/** Whether a hash in hex, if any, is that of a key that works. Asked by `exists`, PostgreSQL would read all keys for it. */
export const isGoodHash = (hash: string): string =>
  `(${hash} is null
    or (select true from api_keys k where k.hash = decode(${hash}, 'hex') and ${isGoodKey('k')}))`;

/** Whether a row of `api_keys` is of a key that works, in SQL. */
export const isGoodKey = (key: string): string =>
  `${key}.revoked_at is null and (${key}.expires_at is null or ${key}.expires_at > now())`;
