import { randomUUID } from 'node:crypto';
import { SignJWT, exportJWK, generateKeyPair, type CryptoKey, type JWTPayload } from 'jose';
import { startFake } from './fake-http.ts';

/**
 * Plays GitHub's OIDC issuer, its keys' address and the address where a runner asks for a token.
 */
export interface TokenIssuer {
  url: string;
  seen: { path: string }[];
  /** What every token says, but for what `sign` is told. */
  claims: Record<string, unknown>;
  /** Signs with the newest key, for an audience. */
  sign(audience: string | string[], more?: SignOptions): Promise<string>;
  /** Publishes a new key instead of the one before, as GitHub does now and then. */
  rotate(): Promise<void>;
  /** What the runner tells a job that has `id-token: write`. */
  environment: Record<string, string>;
  close(): Promise<void>;
}

interface SignOptions {
  claims?: Record<string, unknown>;
  issuedAt?: number;
  expiresAt?: number;
  /** A key that the issuer does not publish, under a name that it does. */
  forged?: boolean;
  /** Name of the key, in the place of the right one. */
  kid?: string;
}

const BEARER = 'the-job-may-ask-for-a-token';

export const WORKFLOW_CLAIMS = {
  repository: 'acme/widgets',
  repository_id: '4242',
  repository_owner: 'acme',
  repository_owner_id: '7',
  ref: 'refs/heads/main',
  workflow_ref: 'acme/widgets/.github/workflows/agent.yml@refs/heads/main',
  job_workflow_ref: 'acme/widgets/.github/workflows/agent.yml@refs/heads/main',
  event_name: 'issue_comment',
  sub: 'repo:acme@7/widgets@4242:ref:refs/heads/main',
};

export async function startTokenIssuer({
  path = '',
  keysAt = '',
  padding = 0,
} = {}): Promise<TokenIssuer> {
  let key: { kid: string; privateKey: CryptoKey; publicKey: CryptoKey };
  const claims: Record<string, unknown> = { ...WORKFLOW_CLAIMS };
  const rotate = async (): Promise<void> => {
    key = { kid: randomUUID(), ...(await generateKeyPair('RS256')) };
  };
  await rotate();
  const fake = await startFake(async (seen) => {
    if (seen.path === `${path}/.well-known/openid-configuration`)
      return { status: 200, json: { issuer: url, jwks_uri: `${keysAt || url}/.well-known/jwks` } };
    if (seen.path === `${path}/.well-known/jwks`)
      return {
        status: 200,
        json: {
          keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'RS256' }],
          padding: 'x'.repeat(padding),
        },
      };
    if (seen.path === '/token' && seen.headers.authorization === `Bearer ${BEARER}`)
      return { status: 200, json: { value: await sign(seen.query.get('audience') ?? '') } };
    return { status: 404, json: {} };
  });
  const url = fake.url + path;
  const sign: TokenIssuer['sign'] = async (audience, options = {}) => {
    const now = Math.floor(Date.now() / 1000);
    const { issuedAt = now, expiresAt = now + 300, forged = false } = options;
    const payload: JWTPayload = { jti: randomUUID(), ...claims, ...options.claims };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: options.kid ?? key.kid })
      .setIssuer(typeof payload.iss === 'string' ? payload.iss : url)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt - 600)
      .setExpirationTime(expiresAt)
      .sign(forged ? (await generateKeyPair('RS256')).privateKey : key.privateKey);
  };
  return {
    url,
    seen: fake.seen,
    claims,
    sign,
    rotate,
    environment: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${fake.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: BEARER,
    },
    close: () => fake.close(),
  };
}
