import type { Log } from '../../base/log.ts';
import { EventLog, type EventLogOptions } from './event-log.ts';
import { createMasker, type Masker } from './mask.ts';
import { cleanDeep, maskAll } from './shape-event.ts';

/** What a run tells to the worker's own log. */
export type OutletLog = Pick<Log, 'debug' | 'info' | 'warn' | 'error'>;

/**
 * The one way out of a run. What its programs, its agent or git on its behalf said reaches a log, the
 * service or GitHub through one of these, and here every secret in it is masked (threats.md S20).
 */
export interface Outlet {
  /** The run's log at the service. */
  events: EventLog;
  /** The worker's log. */
  log: OutletLog;
  /** Any other text as it may be told. */
  mask(text: string): string;
  /** A value with every name in it as it may be told. */
  maskAll<T>(value: T): T;
  /** Tells of bytes that come in pieces whether a secret, or one of these, is among them. */
  secretFinder(others: readonly string[]): (piece: Buffer) => boolean;
  /** From now on this value is masked too. */
  addSecret(value: string): void;
}

export function openOutlet(
  options: Omit<EventLogOptions, 'masker'> & { secrets: Iterable<string>; log: Log },
): Outlet {
  const masker = createMasker(options.secrets);
  return {
    events: new EventLog({ ...options, masker }),
    log: maskedLog(options.log, masker),
    mask: (text) => masker.mask(text),
    maskAll: (value) => maskAll(value, masker),
    secretFinder: (others) => masker.finder(others),
    addSecret: (value) => masker.add(value),
  };
}

function maskedLog(log: Log, masker: Masker): OutletLog {
  const masked =
    (level: keyof OutletLog) =>
    (fields: unknown, message?: string): void =>
      log[level](cleanDeep(asFields(fields), masker), message);
  return {
    debug: masked('debug'),
    info: masked('info'),
    warn: masked('warn'),
    error: masked('error'),
  };
}

/** An error's text is on no property of its own. */
function asFields(value: unknown): unknown {
  if (value instanceof Error) return { message: value.message, stack: value.stack };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asFields(each)]));
}
