import { backoffMs } from '../base/retry.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { ClientFailure, ServiceProblem } from './error.ts';

const BACKOFF = { firstMs: 500, longestMs: 20_000 };
/**
 * At most this much is added to a wait that the service asked for, so that callers do not all
 * return at once.
 */
const SPREAD_MS = 250;

/**
 * Milliseconds to wait after this many `failures`: a little more than the service asked for, if it
 * did.
 */
export function retryDelayMs(
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  if (retryAfterMs !== undefined) return retryAfterMs + random() * SPREAD_MS;
  return backoffMs(failures, BACKOFF, random);
}

type Headers = Record<string, string | string[] | undefined>;

export function headerText(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The wait that a service asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const precise = headerText(headers, 'retry-after-ms')?.trim();
  if (precise && /^\d+(\.\d+)?$/.test(precise)) return Number(precise);
  const value = headerText(headers, 'retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `x-should-retry`, which overrides the status. */
export function readShouldRetry(headers: Headers): boolean | undefined {
  const value = headerText(headers, 'x-should-retry');
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

/** Whether repeating this request is harmless even if it was carried out. */
function isRepeatable(endpoint: Pick<Endpoint, 'method' | 'idempotent'>): boolean {
  return endpoint.idempotent === true || ['GET', 'PUT'].includes(endpoint.method);
}

function problemMayPass(problem: ServiceProblem, repeatable: boolean): boolean {
  const { status, retryable, retryAfterMs } = problem.answer;
  if (status === 429) return retryable;
  if (status === 409) return repeatable && retryAfterMs !== undefined && retryable;
  return repeatable && retryable;
}

/**
 * Whether the client repeats a failed request by itself. If the request may have been carried out,
 * only when a second time changes nothing. If it never arrived or was refused for the moment (429),
 * always, unless TLS failed for a lasting reason such as a wrong certificate. After a conflict,
 * only if the service says when to come back.
 */
export function mayRetry(
  endpoint: Pick<Endpoint, 'method' | 'idempotent'>,
  failure: ClientFailure,
): boolean {
  const repeatable = isRepeatable(endpoint);
  if (failure.kind === 'problem') return problemMayPass(failure, repeatable);
  if (failure.kind === 'network') return !failure.lasting && (repeatable || !failure.sent);
  return repeatable && (failure.kind === 'timeout' || failure.garbled);
}
