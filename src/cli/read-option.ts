import { InvalidArgumentError, Option, type Command } from 'commander';
import { RunlinkError } from '../base/error.ts';
import type { Address } from '../base/listen.ts';
import { parseDurationMs } from '../base/time.ts';
import { trimEnd } from '../base/trim-end.ts';
import { SANDBOX_DRIVERS } from '../config/sandbox.ts';
import { apiBaseUrl } from './remote/base-url.ts';

export function readPort(word: string): number {
  const port = Number(word);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InvalidArgumentError('Give a port from 0 to 65535; 0 means any free one.');
}

export function readCount(word: string): number {
  const count = Number(word);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Give a whole number above 0.');
}

/** Milliseconds. */
function readDuration(word: string): number {
  try {
    return parseDurationMs(word);
  } catch (error) {
    const hint = error instanceof RunlinkError ? error.hint : undefined;
    throw new InvalidArgumentError(hint ?? '');
  }
}

/** A URL as given, without slashes at its end; an empty variable counts as absent. */
export function readUrl(word: string): string | undefined {
  if (word === '') return undefined;
  if (URL.canParse(word) && /^https?:$/.test(new URL(word).protocol)) return trimEnd(word, '/');
  throw new InvalidArgumentError('Give an address that begins with https:// or http://.');
}

/**
 * The same for a service's address without a path: its pages and cookies need the root of their
 * host.
 */
export function readOrigin(word: string): string | undefined {
  const url = URL.parse(readUrl(word) ?? '');
  if (word === '' || url?.href === `${url?.origin}/`) return url?.origin;
  throw new InvalidArgumentError(
    'The service cannot stand below a path: give it a host of its own, such as https://agents.example.com.',
  );
}

/**
 * The same for PostgreSQL. Error messages never show the address, because it may hold a password.
 */
function readDatabaseUrl(word: string): string | undefined {
  if (word === '') return undefined;
  if (URL.canParse(word) && /^postgres(ql)?:$/.test(new URL(word).protocol)) return word;
  throw new RunlinkError(
    'invalid_option',
    'The value of --database-url or RUNLINK_DATABASE_URL is not a PostgreSQL address.',
    { hint: 'Write it as postgres://user:password@host:5432/database.' },
  );
}

/** A duration; its value is in milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(readDuration);
}

/** `--grace`: how long the work under way may take to finish, in milliseconds. */
export function graceOption(whose: string, standard: string): Option {
  return durationOption(
    '--grace <duration>',
    `time ${whose} get to finish when told to stop`,
  ).default(parseDurationMs(standard), standard);
}

export interface MetricsOptions {
  metricsPort?: number;
  metricsHost: string;
}

/** `--metrics-port` and `--metrics-host`: metrics never share the public port. */
export function addMetricsOptions(command: Command): Command {
  return command
    .option('--metrics-port <number>', 'port of /metrics for Prometheus (default: none)', readPort)
    .option('--metrics-host <address>', 'address /metrics listens on', '127.0.0.1');
}

export function metricsAddress(options: MetricsOptions): { metrics?: Address } {
  const { metricsPort: port, metricsHost: host } = options;
  return port === undefined ? {} : { metrics: { host, port } };
}

/** The API's address, however a person writes the service's; an empty variable counts as absent. */
function readBaseUrl(word: string): string | undefined {
  try {
    return word === '' ? undefined : apiBaseUrl(word);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

export function baseUrlOption(description: string): Option {
  return new Option('--base-url <url>', description).env('RUNLINK_BASE_URL').argParser(readBaseUrl);
}

export function databaseUrlOption(): Option {
  return new Option('--database-url <url>', 'your own PostgreSQL instead of the embedded one')
    .env('RUNLINK_DATABASE_URL')
    .argParser(readDatabaseUrl);
}

/** How runs are isolated; for every command that starts a worker. */
export function sandboxOption(): Option {
  return new Option(
    '--sandbox <driver>',
    'how runs are isolated, instead of what the configuration says; direct: not at all',
  ).choices(SANDBOX_DRIVERS);
}
