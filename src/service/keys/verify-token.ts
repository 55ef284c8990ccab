import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { z } from 'zod';
import { errorMessage } from '../../base/error.ts';
import { ProblemError } from '../../contract/problem.ts';

/** GitHub signs with RS256. The algorithm that a token names must be in this list. */
const ALGORITHMS = ['RS256', 'ES256'];
/**
 * GitHub's tokens are valid for five minutes. Older ones are refused, so that used tokens need not
 * be remembered for long.
 */
export const TOKEN_MAX_AGE_SECONDS = 600;
const CLOCK_TOLERANCE_SECONDS = 30;
const DISCOVERY_WITHIN_MS = 5000;

/** GitHub's list of keys has about 10 KB. */
const ANSWER_MAX_BYTES = 1024 * 1024;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Verifies a token for an audience; returns its claims. */
export type VerifyToken = (token: string, audience: string) => Promise<JWTPayload>;

/**
 * Verifies tokens of the listed issuers; requests go to no other address (threats.md S21). Throws
 * `not_authorized`, `authentication_required`, or `service_unavailable` if the issuer's keys cannot
 * be read.
 */
export function createVerifier(issuers: ReadonlySet<string>): VerifyToken {
  const keys = new Map<string, Promise<JWTVerifyGetKey>>();
  const keysOf = async (issuer: string): Promise<JWTVerifyGetKey> => {
    const found = keys.get(issuer) ?? discover(issuer);
    keys.set(issuer, found);
    found.catch(() => keys.delete(issuer));
    return found;
  };
  return async (token, audience) => {
    const issuer = issuerOf(token);
    if (!issuers.has(issuer))
      throw new ProblemError('not_authorized', {
        detail: `Tokens of ${issuer.slice(0, 200)} are not trusted here.`,
      });
    try {
      const { payload } = await jwtVerify(token, await keysOf(issuer), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        maxTokenAge: TOKEN_MAX_AGE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'jti'],
      });
      return payload;
    } catch (error) {
      throw refusalOf(error, issuer, audience);
    }
  };
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch (cause) {
    throw new ProblemError('authentication_required', { detail: 'This is not a token.', cause });
  }
}

/** Finds the issuer's keys. They must be on the issuer's own host. */
async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const answer = await fetchBounded(`${issuer}/.well-known/openid-configuration`, {
    redirect: 'error',
    signal: AbortSignal.timeout(DISCOVERY_WITHIN_MS),
  });
  const said = discovery.parse(await answer.json());
  const place = new URL(said.jwks_uri);
  if (said.issuer !== issuer || place.origin !== new URL(issuer).origin)
    throw new ProblemError('service_unavailable', {
      detail: `${issuer} names another issuer, or another host for its keys.`,
    });
  return createRemoteJWKSet(place, { [customFetch]: fetchBounded });
}

/** Fetches an answer into memory, up to a limit far above any list of keys. */
async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  const answer = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) throw new Error(`${url} answers with more than 1 MiB`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: answer.status, headers: answer.headers });
}

function refusalOf(error: unknown, issuer: string, audience: string): ProblemError {
  if (error instanceof ProblemError) return error;
  const isJose = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
  // jose throws its plain error if the issuer's answer is not a list of keys.
  if (!isJose || error.code === 'ERR_JOSE_GENERIC' || error.code === 'ERR_JWKS_INVALID')
    return new ProblemError('service_unavailable', {
      detail: `The keys of ${issuer} cannot be read: ${errorMessage(error)}`,
      cause: error,
    });
  const isAudience = error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud';
  const detail = isAudience
    ? `The token is for another audience; ask for one for ${audience}. If callers know this service by another address, start it with --public-url.`
    : `The token is refused: ${error.message}.`;
  return new ProblemError('authentication_required', { detail, cause: error });
}
