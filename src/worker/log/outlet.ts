import type { Log } from '../../base/log.ts';
import { EventLog, type EventLogOptions } from './event-log.ts';
import { createMasker, type Masker } from './mask.ts';
import { cleanDeep, maskAll } from './shape-event.ts';

/** The methods of the worker's own log that a run may use. */
export type OutletLog = Pick<Log, 'debug' | 'info' | 'warn' | 'error'>;

/**
 * The only way text leaves a run. Whatever its programs, its agent or git said goes through here to
 * a log, the service or GitHub, and every secret in it is masked (threats.md S20).
 */
export interface Outlet {
  /** The run's log at the service. */
  events: EventLog;
  /** The worker's log. */
  log: OutletLog;
  /** Masks any other text. */
  mask(text: string): string;
  /** Masks every string in a value, keys included. */
  maskAll<T>(value: T): T;
  /**
   * Returns a function that is given bytes piece by piece and tells whether they contain a secret,
   * or one of `others`.
   */
  secretFinder(others: readonly string[]): (piece: Buffer) => boolean;
  /** Masks this value too, from now on. */
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

/** Makes an error's text visible to the masker: it is in no enumerable property. */
function asFields(value: unknown): unknown {
  if (value instanceof Error) return { message: value.message, stack: value.stack };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asFields(each)]));
}
