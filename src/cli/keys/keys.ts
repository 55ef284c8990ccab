import { RunlinkError } from '../../base/error.ts';
import { openServiceTables } from '../../service/create-service.ts';
import {
  createAgentKey,
  createPersonalKey,
  createWorkerKey,
  listKeys,
  revokeKey,
  type KeyInfo,
} from '../../service/keys/manage-keys.ts';
import { commandLog } from '../command-log.ts';
import { interruptSignal } from '../interrupt.ts';
import { databaseLocation, loadConfig, type DataOptions } from '../locate.ts';

type Db = Awaited<ReturnType<typeof openServiceTables>>['kysely'];

/**
 * Opens the tables of a service that is there, also while `serve` runs on them, for as long as `work`
 * takes. Throws `no_service` where there is none.
 */
export async function withService<T>(
  options: DataOptions,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const signal = interruptSignal();
  const database = await openServiceTables(
    databaseLocation(options, 'guest'),
    commandLog('keys', 'warn'),
  );
  try {
    signal.throwIfAborted();
    return await work(database.kysely);
  } finally {
    await database.close();
  }
}

export interface CreateOptions extends DataOptions {
  team?: string;
  user?: string;
  as?: string;
  worker?: boolean;
  name?: string;
  config?: string;
}

/** Exactly one of the three ways to say whose key it is. */
async function makeKey(db: Db, options: CreateOptions): Promise<{ id: string; key: string }> {
  const { team, user, as: agent, worker, name } = options;
  const given = Object.entries({ team, user, agent, worker })
    .filter(([, value]) => value)
    .map(([option]) => option)
    .join('+');
  if (given === 'agent' && agent) {
    return createAgentKey({ db, config: await loadConfig(options.config) }, agent);
  }
  if (given === 'team+worker' && team) return createWorkerKey(db, team);
  if (given === 'team+user' && team && user) {
    return createPersonalKey(db, { team, user, ...(name && { name }) });
  }
  throw new RunlinkError('invalid_option', 'It is not clear whose key this is to be.', {
    hint: 'Give --team NAME --user NAME, or --team NAME --worker, or --as UID.',
  });
}

/** The key's only showing. */
export async function create(options: CreateOptions): Promise<{ id: string; key: string }> {
  return withService(options, (db) => makeKey(db, options));
}

/** Every key of the service that works. */
export async function list(options: DataOptions): Promise<KeyInfo[]> {
  return withService(options, (db) => listKeys(db));
}

export async function revoke(keyId: string, options: DataOptions): Promise<void> {
  if (await withService(options, (db) => revokeKey(db, keyId))) return;
  throw new RunlinkError('unknown_key', `There is no working key ${keyId}.`, {
    hint: 'List them with "runlink keys list".',
  });
}
