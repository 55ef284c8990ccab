import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { RunlinkError } from '../../base/error.ts';
import { explainFailure } from '../failure.ts';

/** A backup or restore holds this lock alone; deletions of contents share it. */
export const BACKUP_LOCK = 7_238_011_409;

/** The state of a restore. It has its own schema, so that every room finds it in the same way. */
const SCHEMA = 'runlink_restore';
const LOOK_EVERY_MS = 1000;
/** How long to wait for a deletion of contents, or for another backup. */
const LOCK_WITHIN = '60s';
const LOCK_NOT_AVAILABLE = '55P03';

type Queries = Pick<Pool, 'query'>;
type Restored = { taken_at: Date; finished: boolean; resumed: boolean };

/** Connects for a backup or restore. Throws `backup_busy` if another one is under way. */
export async function connectAlone(url: string, name: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: name });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`set lock_timeout = '${LOCK_WITHIN}'`);
    await client.query('select pg_advisory_lock($1)', [BACKUP_LOCK]);
    return client;
  } catch (error) {
    await client.end();
    if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE))
      throw explainFailure(error);
    throw new RunlinkError(
      'backup_busy',
      'Another backup or restore of this database is going on.',
      {
        hint: 'Wait until it has ended.',
      },
    );
  }
}

/** The restore that filled this database, if there was one. */
export async function restoreOf(pool: Queries): Promise<Restored | undefined> {
  const { rows: found } = await pool.query<{ table: string | null }>(
    `select to_regclass('${SCHEMA}.state') as table`,
  );
  if (!found[0]?.table) return undefined;
  const { rows } = await pool.query<Restored>(
    `select taken_at, finished, resumed from ${SCHEMA}.state`,
  );
  return rows[0];
}

/** Marks the start of a restore. Nothing else can open this database until it is finished. */
export async function beginRestore(pool: Queries, takenAt: string): Promise<void> {
  const at = new Date(takenAt).toISOString();
  // Sent as one message, so it is one transaction: a crash leaves all of it or nothing.
  await pool.query(`create schema ${SCHEMA}; create table ${SCHEMA}.state (
    taken_at timestamptz not null, finished boolean not null default false,
    resumed boolean not null default false);
    insert into ${SCHEMA}.state (taken_at) values ('${at}')`);
}

export async function finishRestore(pool: Queries): Promise<void> {
  await pool.query(`update ${SCHEMA}.state set finished = true`);
}

/** Lets the service continue after a restore. Throws `nothing_held` if it is not being held. */
export async function resume(pool: Queries): Promise<void> {
  const state = await restoreOf(pool);
  if (state) refuseHalf(state);
  if (!state || state.resumed)
    throw new RunlinkError('nothing_held', 'Nothing is held here: this service is not waiting.');
  await pool.query(`update ${SCHEMA}.state set resumed = true`);
}

export function refuseHalf({ finished }: Restored): void {
  if (finished) return;
  throw new RunlinkError('restore_unfinished', 'This database was only restored in part.', {
    hint: 'Give the same "runlink restore" once more: it begins anew.',
  });
}

/** Whether a restore keeps the service from acting on its own. */
export async function isHeld(pool: Queries): Promise<boolean> {
  const state = await restoreOf(pool);
  return state !== undefined && !state.resumed;
}

/** Resolves once the service is no longer held. */
export async function untilResumed(pool: Queries, signal: AbortSignal): Promise<void> {
  while (await isHeld(pool).catch(() => true)) await sleep(LOOK_EVERY_MS, undefined, { signal });
}

/** Removes what an interrupted restore left behind. */
export async function discardHalf(pool: Queries, schemas: readonly string[]): Promise<void> {
  for (const schema of [...schemas, SCHEMA])
    await pool.query(`drop schema if exists ${schema} cascade`);
}
