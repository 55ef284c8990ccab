import { z } from 'zod';
import { backoffMs } from '../../base/retry.ts';

/** Thrown if an answer from GitHub is needed and there is none. */
export class GithubUnreachable extends Error {
  /** What is unknown without the answer. */
  readonly reason: 'github_unreachable' | 'permission_unknown' | 'head_unknown';

  constructor(
    detail: string,
    cause?: unknown,
    reason: GithubUnreachable['reason'] = 'github_unreachable',
  ) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'GithubUnreachable';
    this.reason = reason;
  }
}

/**
 * What to do after a failed request to GitHub. `limit`: nobody may write for `waitMs`. `again`: try
 * this request again later. `denied`: our App or token lacks a permission. `gone`, `never`: GitHub
 * will not accept the request at all.
 */
export type GithubFailure = { kind: 'limit'; waitMs: number } | { kind: 'again' } | GithubRefusal;
export interface GithubRefusal {
  kind: 'denied' | 'gone' | 'never';
  detail: string;
}

const failedRequest = z.looseObject({
  status: z.number(),
  message: z.string().default(''),
  request: z.looseObject({ url: z.string().default('') }).prefault({}),
  response: z.looseObject({ headers: z.record(z.string(), z.unknown()).default({}) }).prefault({}),
});

/** GitHub's rule: wait at least a minute if no header says how long (github.md, "Limits"). */
const LIMIT_WAIT_MS = 60_000;

/** GitHub refuses a token for a suspended or removed installation, which may come back. */
const NO_TOKEN_WAIT_MS = 10 * 60_000;
const NO_TOKEN = /installation has been suspended|\/access_tokens$/i;
/** GitHub's longest window. Larger numbers in an answer are not believed. */
const LIMIT_WAIT_MAX_MS = 3_600_000;

/**
 * Reads a failed request as GitHub documents its limits: first `retry-after`, then the reset time,
 * measured by GitHub's own clock if the answer has it.
 */
export function readGithubFailure(error: unknown, now: number): GithubFailure {
  const parsed = failedRequest.safeParse(error);
  if (!parsed.success) return { kind: 'again' };
  const { status, message, request, response } = parsed.data;
  if (status >= 500 || AGAIN.includes(status)) return { kind: 'again' };
  if (NO_TOKEN.test(`${message} ${request.url}`))
    return { kind: 'limit', waitMs: NO_TOKEN_WAIT_MS };
  if (status === 403 && DENIED.test(message)) {
    return { kind: 'denied', detail: message + wanted(response.headers) };
  }
  const isTooMuch = status === 403 ? isLimit(response.headers, message) : TOO_QUICK.test(message);
  if (status === 429 || isTooMuch) {
    const waitMs = Math.min(limitWait(response.headers, now), LIMIT_WAIT_MAX_MS);
    return { kind: 'limit', waitMs };
  }
  const detail = `${status} ${message}`.slice(0, 500);
  return { kind: status === 404 || status === 410 ? 'gone' : 'never', detail };
}

/** A 403 with one of these words stays so. */
const STAYS = /locked|archived|read-only|blocked|suspended/i;

/**
 * Whether GitHub answered 403 without naming a limit, a permission or anything else that lasts, as
 * its own defences and proxies do. Such a request deserves a few more tries.
 */
export function isUnexplained(error: unknown): boolean {
  const failure = readGithubFailure(error, 0);
  return (
    failure.kind === 'never' && failure.detail.startsWith('403 ') && !STAYS.test(failure.detail)
  );
}

const TRIES = 4;
const BACKOFF = { firstMs: 500, longestMs: 4000 };
/** Whoever holds something meanwhile, such as a lease, waits no longer than this for GitHub. */
export const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * How long to wait before repeating a request that is safe to repeat; undefined if it should not
 * be.
 */
export function githubPauseMs(error: unknown, tries: number): number | undefined {
  const failure = readGithubFailure(error, Date.now());
  if (tries >= TRIES) return undefined;
  if (failure.kind === 'again' || isUnexplained(error)) return backoffMs(tries, BACKOFF);
  if (failure.kind !== 'limit') return undefined;
  return failure.waitMs > LONGEST_WAIT_MS ? undefined : failure.waitMs;
}

function wanted({ 'x-accepted-github-permissions': needs }: Record<string, unknown>): string {
  return typeof needs === 'string' ? ` (it takes ${needs.slice(0, 200)})` : '';
}

/**
 * Words by which GitHub says that an App or token lacks a permission, or that the owner's settings
 * forbid it.
 */
const DENIED =
  /not accessible by|must have (?:admin|push|write|read)|not permitted to|required scopes|SAML enforcement|forbids access via|have the correct authorization|authenticate via a GitHub App/i;
/** The token has expired, or GitHub timed out while reading the request. */
const AGAIN: readonly number[] = [401, 408];

/** Creating content too fast is refused as invalid; GraphQL says so only in its message. */
const TOO_QUICK = /was submitted too quickly/i;

function isLimit(headers: Record<string, unknown>, message: string): boolean {
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit|abuse/i.test(message)
  );
}

function limitWait(headers: Record<string, unknown>, now: number): number {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return after * 1000;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) {
    const clock = Date.parse(String(headers['date']));
    return Math.max(1000, reset * 1000 - (Number.isNaN(clock) ? now : clock));
  }
  return LIMIT_WAIT_MS;
}
