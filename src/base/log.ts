import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

/**
 * A structured logger. Lines carry ids, never bodies, headers or keys (threats.md S14). Fields that
 * could hold a key are blanked as well.
 */
export function createLog(
  name: string,
  options: { level?: string; destination?: DestinationStream } = {},
): Logger {
  return pino(
    {
      name,
      level: options.level ?? 'info',
      base: { name },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: ['authorization', '*.authorization', 'key', '*.key', 'token', '*.token'] },
    },
    options.destination ?? process.stderr,
  );
}

export const silentLog: Log = pino({ level: 'silent' });
