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
import { printJson, table } from '../terminal.ts';

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
  agent?: string;
  worker?: boolean;
  name?: string;
  config?: string;
}

/** Exactly one of the three ways to say whose key it is. */
async function makeKey(db: Db, options: CreateOptions): Promise<{ key: string }> {
  const { team, user, agent, worker, name } = options;
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
    hint: 'Give --team NAME --user NAME, or --team NAME --worker, or --agent UID.',
  });
}

export async function create(options: CreateOptions): Promise<void> {
  const { key } = await withService(options, (db) => makeKey(db, options));
  process.stdout.write(`${key}\n`);
}

const holder = (key: KeyInfo): string => key.user ?? key.agentUid ?? '';
const day = (date: Date | null): string => date?.toISOString().slice(0, 10) ?? 'never';

export interface ListOptions extends DataOptions {
  json?: boolean;
}

export async function list(options: ListOptions): Promise<void> {
  const keys = await withService(options, (db) => listKeys(db));
  if (options.json) return printJson(keys);
  const rows = keys.map((key) => [
    key.id,
    key.kind,
    `${key.prefix}…${key.suffix}`,
    key.team ?? 'every team',
    holder(key),
    key.name,
    day(key.lastUsedAt),
  ]);
  process.stdout.write(
    `${table(process.stdout, ['ID', 'KIND', 'KEY', 'TEAM', 'HOLDER', 'NAME', 'LAST USED'], rows)}\n`,
  );
}

export async function revoke(keyId: string, options: DataOptions): Promise<void> {
  if (!(await withService(options, (db) => revokeKey(db, keyId)))) {
    throw new RunlinkError('unknown_key', `There is no working key ${keyId}.`, {
      hint: 'List them with "runlink keys list".',
    });
  }
  process.stdout.write(`Revoked ${keyId}.\n`);
}
