import { setSecret } from '@actions/core';
import { z } from 'zod';
import { retry } from '../base/retry.ts';
import { connect } from '../client/connect.ts';
import { NetworkFailure, isClientError } from '../client/error.ts';
import { mayRetry, retryDelayMs } from '../client/retry.ts';
import { fetchRequest } from './fetch-request.ts';
import type { HttpRequest } from '../client/send.ts';

/**
 * Where the runner hands out a job's OIDC token; only with `id-token: write` (github.md, "Signing
 * in without a secret").
 */
export interface TokenPlace {
  url: string;
  bearer: string;
}

/** A key is replaced this long before it expires. */
const EARLY_MS = 60_000;
const TRIES = 4;
const given = z.object({ value: z.string() });

/**
 * Sends requests with a key that the service gave this job for GitHub's OIDC token, and gets a new
 * key before that one expires.
 */
export function signedIn(baseUrl: string, place: TokenPlace): HttpRequest {
  let held: Promise<{ api_key: string; expires_at: string }> | undefined;
  const key = async (signal: AbortSignal): Promise<string> => {
    try {
      const { api_key, expires_at } = await (held ??= signIn(baseUrl, place, signal));
      if (Date.now() < Date.parse(expires_at) - EARLY_MS) return api_key;
    } catch (error) {
      held = undefined;
      throw error;
    }
    held = undefined;
    return (await (held = signIn(baseUrl, place, signal))).api_key;
  };
  return async (url, options) => {
    // A redirect leads to a signed link elsewhere, which must not get the key.
    if (options.headers?.['authorization'] === undefined) return fetchRequest(url, options);
    const authorization = `Bearer ${await key(options.signal)}`;
    return fetchRequest(url, { ...options, headers: { ...options.headers, authorization } });
  };
}

/**
 * Uses a new token for each try: the service takes a token only once, even if its answer was lost.
 */
async function signIn(baseUrl: string, place: TokenPlace, signal: AbortSignal) {
  const client = connect({ baseUrl, apiKey: 'none-yet', request: fetchRequest });
  const attempt = async () => {
    const token = await askForToken(place, new URL(baseUrl).origin, signal);
    const made = await client.access.exchangeToken({ token }, { signal, retry: false });
    setSecret(made.api_key);
    return made;
  };
  return retry(attempt, {
    signal,
    pauseMs: (error, tries) =>
      tries < TRIES && isClientError(error) && mayRetry({ method: 'POST', idempotent: true }, error)
        ? retryDelayMs(tries, undefined, Math.random)
        : undefined,
  });
}

/**
 * Uses plain fetch: the toolkit's own function would outweigh the rest of the bundle (decisions.md
 * D12).
 */
async function askForToken({ url, bearer }: TokenPlace, audience: string, signal: AbortSignal) {
  try {
    const place = new URL(url);
    place.searchParams.set('audience', audience);
    const headers = { authorization: `Bearer ${bearer}`, accept: 'application/json' };
    const answer = await fetch(place, { headers, signal, redirect: 'error' });
    if (!answer.ok) throw new Error(`GitHub gave no token: it answered ${answer.status}`);
    const { value } = given.parse(await answer.json());
    setSecret(value);
    return value;
  } catch (cause) {
    signal.throwIfAborted();
    throw new NetworkFailure({ operation: 'sign-in', tries: 1 }, { sent: false, cause });
  }
}
