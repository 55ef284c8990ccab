import type { Command } from 'commander';
import type { CreateOptions } from '../keys/keys.ts';
import type { KeyInfo } from '../../service/keys/manage-keys.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { renderList, shortId, when, type Column } from '../output/table.ts';
import { databaseUrlOption } from '../read-option.ts';
import { findId } from '../remote/find.ts';
import {
  addServiceOptions,
  openRemote,
  type Remote,
  type RemoteOptions,
} from '../remote/remote.ts';
import { findService } from '../remote/service.ts';

type KeyOptions = Omit<CreateOptions, 'data'> & RemoteOptions & { data?: string };
type Local = CreateOptions & RemoteOptions;

interface KeyRow extends Pick<KeyInfo, 'id' | 'kind' | 'name' | 'prefix' | 'suffix'> {
  team?: string | null;
  holder: string | null;
  created: string;
  used: string | null;
}

const COLUMNS: readonly Column<KeyRow>[] = [
  { title: 'NAME', isHead: true, canShrink: true, cell: ({ name }) => name },
  { title: 'ID', isHead: true, cell: ({ id }) => shortId(id) },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'KEY', cell: ({ prefix, suffix }) => `${prefix}…${suffix}` },
  { title: 'TEAM', cell: ({ team }) => team },
  { title: 'HOLDER', canShrink: true, cell: ({ holder }) => holder },
  { title: 'CREATED', cell: ({ created }) => when(created) },
  { title: 'LAST USED', cell: ({ used }) => when(used) },
];

const print = (rows: readonly KeyRow[]): void =>
  void process.stdout.write(`${renderList(screenOf(process.stdout), COLUMNS, rows)}\n`);

/**
 * Whether the service's own database is meant, which its operator may open: where an option says so,
 * or no service is signed in to.
 */
async function isLocal(options: KeyOptions): Promise<boolean> {
  const { data, databaseUrl, team, user, worker } = options;
  if (data ?? databaseUrl ?? team ?? user ?? worker) return true;
  return (await findService(options)) === undefined;
}

/** Either way of a command: on the database, or over the network. */
function eitherWay<W extends readonly string[]>(
  local: (options: Local, ...words: W) => Promise<void>,
  network: (remote: Remote<KeyOptions>, ...words: W) => Promise<void>,
) {
  return async (...given: unknown[]): Promise<void> => {
    const words = given.slice(0, -2) as unknown as W;
    const options = given.at(-2) as KeyOptions;
    if (await isLocal(options))
      await local({ ...options, data: options.data ?? '.runlink' }, ...words);
    else await network(await openRemote(options), ...words);
  };
}

const operator = () => import('../keys/keys.ts');

const create = eitherWay<[]>(
  async (options) => {
    const { id, key } = await (await operator()).create(options);
    if (options.json) printJson({ id, key }, options.json);
    else process.stdout.write(`${key}\n`);
  },
  async ({ client, options, show }) => {
    const { as, name } = options;
    const made = await client.keys.create({
      ...(name && { name }),
      ...(as && { agent_uid: await findId(client, 'agent', as) }),
    });
    show(made, () => made.key);
  },
);

const list = eitherWay<[]>(
  async (options) => {
    const keys = await (await operator()).list(options);
    if (options.json) return printJson(keys, options.json);
    print(
      keys.map(({ user, agentUid, createdAt, lastUsedAt, ...key }) => ({
        ...key,
        team: key.team ?? 'every team',
        holder: user ?? agentUid,
        created: createdAt.toISOString(),
        used: lastUsedAt?.toISOString() ?? null,
      })),
    );
  },
  async ({ client, options }) => {
    const { keys } = await client.keys.list();
    if (options.json) return printJson(keys, options.json);
    print(
      keys.map(({ agent_uid: holder, created_at: created, last_used_at: used, ...key }) => ({
        ...key,
        holder: holder ?? 'you',
        created,
        used,
      })),
    );
  },
);

const revoke = eitherWay<[string]>(
  async (options, id) => {
    await (await operator()).revoke(id, options);
    process.stdout.write(`Revoked ${id}.\n`);
  },
  async ({ client, show }, word) => {
    const id = await findId(client, 'key', word);
    await client.keys.revoke(id);
    show(id, () => `Revoked ${id}.`);
  },
);

function addKeyOptions(command: Command): Command {
  return addServiceOptions(command)
    .option('--data <dir>', 'data directory of the service, for its operator (default: ".runlink")')
    .addOption(databaseUrlOption());
}

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys');
  addKeyOptions(keys.command('list', { isDefault: true }))
    .description('your keys and those of your team’s agents; for the operator, all keys')
    .action(list);
  addKeyOptions(keys.command('create'))
    .description('make a key and print it alone, once')
    .option('--name <text>', 'what the key is called in lists')
    .option('--as <agent>', 'key of this agent instead of your own')
    .option('--team <name>', 'operator: team the key belongs to, made where needed')
    .option('--user <name>', 'operator: personal key of this person, made where needed')
    .option('--worker', 'operator: key with which workers take the team’s runs')
    .option('--config <file>', 'operator: configuration with the limit of agents')
    .addHelpText(
      'after',
      `
With --team, --user, --worker, --data or --database-url the database of a service on this machine is
opened, also while serve runs; otherwise the service you are signed in to makes the key.

Examples:
  $ runlink keys create --name laptop
  $ runlink keys create --team default --user ada
  $ RUNLINK_API_KEY=$(runlink keys create --team default --worker) runlink worker --base-url …`,
    )
    .action(create);
  addKeyOptions(keys.command('revoke <key>'))
    .description('make a key stop working at once, everywhere')
    .action(revoke);
}
