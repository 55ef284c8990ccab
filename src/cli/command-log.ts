import type { Logger } from 'pino';
import { createLog } from '../base/log.ts';

/** The log of a long-running command: JSON lines on standard error, level from RUNLINK_LOG (default info). */
export function commandLog(name: string, fallback = 'info'): Logger {
  return createLog(name, { level: process.env['RUNLINK_LOG'] ?? fallback });
}
