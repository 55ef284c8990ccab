import { errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { ERROR_CATALOGUE, ProblemError, isRetryable, toProblem } from '../../contract/problem.ts';
import { isDatabaseUnavailable } from '../../database/failure.ts';

/** When callers should try again while the database is down. */
const DATABASE_RETRY_SECONDS = 2;

/** A JSON answer with the headers that all our answers have: not cached, not sniffed. */
export function jsonAnswer(
  body: unknown,
  status: number,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

export function emptyAnswer(status: number): Response {
  return new Response(null, { status, headers: { 'cache-control': 'no-store' } });
}

function asProblem(error: unknown, log: Log): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isDatabaseUnavailable(error)) {
    log.warn({ reason: errorMessage(error) }, 'database unavailable');
    return new ProblemError('service_unavailable', { retryAfterSeconds: DATABASE_RETRY_SECONDS });
  }
  // Log only the reason and the stack: a database error may quote the row it was about (threats.md
  // S14).
  const stack = error instanceof Error ? error.stack : undefined;
  log.error({ reason: errorMessage(error), stack }, 'request failed');
  return new ProblemError('internal_error');
}

/** Turns anything that a request threw into a problem document (RFC 9457). */
export function problemAnswer(thrown: unknown, instance: string, log: Log): Response {
  const error = asProblem(thrown, log);
  const { status } = ERROR_CATALOGUE[error.code];
  const { retryAfterSeconds, allow } = error.details;
  return jsonAnswer(toProblem(error, instance), status, {
    'content-type': 'application/problem+json',
    ...(!isRetryable(error) && (status >= 500 || status === 409)
      ? { 'x-should-retry': 'false' }
      : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(allow ? { allow: allow.join(', ') } : {}),
  });
}
