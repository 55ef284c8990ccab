import { pino } from 'pino';

/** Logs of what is under test: silent, or at the level RUNLINK_TEST_LOG names. */
export const testLog = pino({ level: process.env['RUNLINK_TEST_LOG'] ?? 'silent' });
