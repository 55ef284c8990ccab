import type { Endpoint } from '../contract/endpoint.ts';
import type { ClientFailure, ServiceProblem } from './error.ts';

/** First and longest wait between tries; the wait doubles and is jittered in full. */
const BASE_MS = 250;
const CAP_MS = 20_000;
/** What is added at most to a wait that the service named, so that its callers do not return at once. */
const SPREAD_MS = 250;

/**
 * Milliseconds to wait before the next try. Full jitter: any time from zero to a bound that doubles
 * with each of the `failures` so far; where the service named a wait, that and a little more.
 */
export function retryDelayMs(
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  if (retryAfterMs !== undefined) return retryAfterMs + random() * SPREAD_MS;
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 30));
}

type Headers = Record<string, string | string[] | undefined>;

export function headerText(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The wait a service asks for: `retry-after-ms`, else `Retry-After` in seconds or as a date. */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const precise = headerText(headers, 'retry-after-ms')?.trim();
  if (precise && /^\d+(\.\d+)?$/.test(precise)) return Number(precise);
  const value = headerText(headers, 'retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `x-should-retry`, with which a service overrules the meaning of its status. */
export function readShouldRetry(headers: Headers): boolean | undefined {
  const value = headerText(headers, 'x-should-retry');
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

/** Whether a request of this kind may be repeated at all after it may have been carried out. */
function isRepeatable(endpoint: Pick<Endpoint, 'method' | 'idempotent'>): boolean {
  return endpoint.idempotent === true || endpoint.method === 'GET';
}

function problemMayPass(problem: ServiceProblem, repeatable: boolean): boolean {
  const { status, retryable, retryAfterMs } = problem.answer;
  if (status === 429) return retryable;
  if (status === 409) return repeatable && retryAfterMs !== undefined && retryable;
  return repeatable && retryable;
}

/**
 * Whether the client repeats a failed request by itself. What may have been carried out is repeated
 * only where a second time changes nothing; what the service refused for now (429) or never
 * received is repeated always; a conflict only when the service says when to come back.
 */
export function mayRetry(
  endpoint: Pick<Endpoint, 'method' | 'idempotent'>,
  failure: ClientFailure,
): boolean {
  const repeatable = isRepeatable(endpoint);
  if (failure.kind === 'problem') return problemMayPass(failure, repeatable);
  if (failure.kind === 'network') return repeatable || !failure.sent;
  return repeatable && (failure.kind === 'timeout' || failure.garbled);
}
