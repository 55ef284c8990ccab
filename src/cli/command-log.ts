import { levels, type DestinationStream, type Logger } from 'pino';
import { RunlinkError } from '../base/error.ts';
import { createLog } from '../base/log.ts';

const LEVELS = [...Object.values(levels.labels), 'silent'];

/**
 * The log of a long-running command, on standard error: lines for people on a terminal, else JSON.
 * RUNLINK_LOG sets the level (default info). Throws `invalid_option` for an unknown level.
 */
export async function commandLog(name: string, fallback = 'info'): Promise<Logger> {
  const level = process.env['RUNLINK_LOG'] || fallback;
  if (!LEVELS.includes(level))
    throw new RunlinkError('invalid_option', `RUNLINK_LOG has the unknown level "${level}".`, {
      hint: `Set it to one of ${LEVELS.join(', ')}.`,
    });
  return createLog(name, { level, ...(process.stderr.isTTY && { destination: await readable() }) });
}

async function readable(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  const colorize = !process.env['NO_COLOR'];
  return pretty({
    destination: 2,
    sync: true,
    colorize,
    translateTime: 'HH:MM:ss',
    singleLine: true,
    ignore: 'name',
  });
}
