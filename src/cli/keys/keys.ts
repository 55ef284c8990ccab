import { RunlinkError } from '../../base/error.ts';
import type { Role } from '../../contract/role.ts';
import { openServiceTables } from '../../service/create-service.ts';
import {
  createAgentKey,
  createPersonalKey,
  createWorkerKey,
  listKeys,
  revokeKey,
} from '../../service/keys/manage-keys.ts';
import { commandLog } from '../command-log.ts';
import { interruptSignal } from '../interrupt.ts';
import { databaseLocation, loadOperatorConfig, type DataOptions } from '../locate.ts';

type Db = Awaited<ReturnType<typeof openServiceTables>>['kysely'];

/**
 * Opens the tables of an existing service, also while `serve` uses them, until `work` is done.
 * Throws `no_service` if there is none.
 */
export async function withService<T>(
  options: DataOptions,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const signal = interruptSignal();
  const database = await openServiceTables(
    databaseLocation(options, 'guest'),
    await commandLog('keys', 'warn'),
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
  role?: Role;
  as?: string;
  worker?: boolean;
  name?: string;
  config?: string;
}

/** Makes a key and prints it, for the only time. Exactly one of three options says whose it is. */
export function create(options: CreateOptions): Promise<{ id: string; key: string }> {
  const { team = '', user = '', as: agent = '', worker, name, role } = options;
  const given = Object.entries({ team, user, agent, worker }).filter(([, value]) => value);
  return withService(options, async (db) => {
    switch (given.map(([option]) => option).join('+')) {
      case 'agent':
        return createAgentKey({ db, config: await loadOperatorConfig(options.config) }, agent);
      case 'team+worker':
        return createWorkerKey(db, team);
      case 'team+user':
        return createPersonalKey(db, { team, user, ...(name && { name }), ...(role && { role }) });
      default:
        throw new RunlinkError('invalid_option', 'It is not clear whose key this should be.', {
          hint: 'Give --team NAME --user NAME, or --team NAME --worker, or --as UID.',
        });
    }
  });
}

/** Lists every valid key of the service with its team and person, as the API does. */
export async function list(options: DataOptions) {
  const keys = await withService(options, listKeys);
  return keys.map(
    ({ agentUid, userUid, userName, createdAt, lastUsedAt, expiresAt, team, ...key }) => ({
      ...key,
      team: team ?? 'every team',
      agent_uid: agentUid,
      person: userUid ? { uid: userUid, display_name: userName ?? '' } : null,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
      expires_at: expiresAt?.toISOString() ?? null,
    }),
  );
}

export async function revoke(keyId: string, options: DataOptions): Promise<void> {
  if (await withService(options, (db) => revokeKey(db, keyId))) return;
  throw new RunlinkError('unknown_key', `There is no valid key ${keyId}.`, {
    hint: 'List them with "runlink keys list".',
  });
}
