import type { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import { retry } from '../base/retry.ts';
import { isLostCreation } from './failure.ts';

/**
 * If several processes open the queue of an empty database at once, only one succeeds in creating
 * it.
 */
const TRIES = 5;

/**
 * Opens the job queue on the same connections as everything else, in its own schema, so that jobs
 * can be sent and completed inside a transaction (`{ db: fromKysely(trx) }`).
 */
export async function openQueue(pool: Pool, schema: string, log: Log): Promise<PgBoss> {
  return retry(() => startQueue(pool, schema, log), {
    pauseMs: (error, tries) => (isLostCreation(error) && tries < TRIES ? 0 : undefined),
  });
}

async function startQueue(pool: Pool, schema: string, log: Log): Promise<PgBoss> {
  const queue = new PgBoss({
    schema,
    db: { executeSql: (text, values) => pool.query(text, values) },
    /** We schedule cron ourselves, because pg-boss is 15 to 45 s late (decisions.md D7). */
    schedule: false,
  });
  queue.on('error', (error) => log.warn({ reason: errorMessage(error) }, 'job queue'));
  queue.on('warning', (warning) => log.warn({ reason: warning.message }, 'job queue'));
  await queue.start();
  return queue;
}
