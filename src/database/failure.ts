import { RunlinkError, errorMessage } from '../base/error.ts';
import { backoffMs, retry } from '../base/retry.ts';

/**
 * SQLSTATE codes that mean that the server is stopped, stopping or not yet started: connection
 * exceptions, shutdown, crash, starting up, too many connections, disk full, read-only.
 */
const UNAVAILABLE_STATES = /^(08...|57P0[1-5]|53[123]00|25006)$/;
const UNAVAILABLE_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** Messages of node-postgres that have no code. */
const UNAVAILABLE_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|driver has already been destroyed/;

/** Hints for when PostgreSQL answers but refuses us. */
const REFUSALS: readonly [code: RegExp, hint: string][] = [
  [/^28/, 'Check user and password in --database-url, and pg_hba.conf of that server.'],
  [/^3D000$/, 'Make the database (createdb NAME), or correct its name in --database-url.'],
  [
    /^42501$/,
    'The role must be able to create schemas there: grant create on database NAME to ROLE;',
  ],
  [/^53100$/, 'Make room on the disk of that server.'],
  [/^53300$/, 'Raise max_connections of that server, or start fewer processes on it.'],
  [
    /SSL|certificate|self.signed/i,
    'Check sslmode in --database-url: disable, require, verify-full.',
  ],
];

const RETRYABLE_STATES = new Set(['40001', '40P01']);
const RETRIES_MAX = 8;
const BACKOFF = { firstMs: 20, longestMs: 2500 };

/**
 * Whether an error means that the database cannot be reached now, as opposed to a wrong statement.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (UNAVAILABLE_STATES.test(code) || UNAVAILABLE_ERRNO.has(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  return UNAVAILABLE_TEXT.test(error.message);
}

/**
 * Unique violation, duplicate schema, table or object: `if not exists` does not protect against a
 * race.
 */
const ALREADY_THERE = new Set(['23505', '42P06', '42P07', '42710']);

/**
 * Whether creating a schema or table failed only because another session created it at the same
 * time.
 */
export function isLostCreation(error: unknown): boolean {
  return ALREADY_THERE.has(codeOf(error));
}

/** Repeats a transaction that failed because of another one (deadlock, serialisation failure). */
export async function retryConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  const pauseMs = (error: unknown, tries: number): number | undefined =>
    RETRYABLE_STATES.has(codeOf(error)) && tries < RETRIES_MAX
      ? backoffMs(tries, BACKOFF)
      : undefined;
  return retry(transaction, { pauseMs });
}

/**
 * Explains a failure to open the database, with what to do. Any other error is returned as it is.
 */
export function explainFailure(error: unknown): unknown {
  const refusal = refusalOf(error);
  if (refusal)
    return new RunlinkError(
      'database_refused',
      `PostgreSQL refused: ${errorMessage(error).split('\n', 1)[0]}`,
      { hint: refusal, cause: error },
    );
  if (!isDatabaseUnavailable(error)) return error;
  return new RunlinkError(
    'database_unreachable',
    `The database cannot be reached: ${errorMessage(error)}`,
    { hint: 'Check --database-url and that PostgreSQL is running.', cause: error },
  );
}

/** What to do if PostgreSQL refused; undefined for any other error. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = codeOf(error) === '' && error.cause instanceof Error ? error.cause : error;
  const words = [codeOf(cause), /SSL|certificate/i.test(cause.message) ? cause.message : ''];
  return REFUSALS.find(([test]) => words.some((word) => test.test(word)))?.[1];
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
