import { Option, type Command } from 'commander';
import { keyItem, type KeyItem } from '../../contract/access.ts';
import { ROLES } from '../../contract/role.ts';
import type { CreateOptions } from '../keys/keys.ts';
import { checkFields } from '../output/json.ts';
import { shortId, when, type Column } from '../output/table.ts';
import { databaseUrlOption } from '../read-option.ts';
import { findId } from '../remote/find.ts';
import {
  addServiceOptions,
  listOf,
  openRemote,
  printerOf,
  type Remote,
  type RemoteOptions,
} from '../remote/remote.ts';
import { findService } from '../remote/service.ts';

type KeyOptions = Omit<CreateOptions, 'data'> &
  RemoteOptions & { data?: string; of?: 'me' | 'team' };
type Key = KeyItem & { team?: string };

const COLUMNS: readonly Column<Key>[] = [
  { title: 'NAME', isHead: true, canShrink: true, cell: ({ name }) => name },
  { title: 'ID', isHead: true, cell: ({ id }) => shortId(id) },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'KEY', cell: ({ prefix, suffix }, { signs }) => prefix + signs.cut + suffix },
  { title: 'TEAM', cell: ({ team }) => team },
  {
    title: 'HOLDER',
    canShrink: true,
    cell: ({ agent_uid: agent, person }) => agent ?? person?.display_name,
  },
  { title: 'CREATED', cell: ({ created_at: at }) => when(at) },
  { title: 'LAST USED', cell: ({ last_used_at: at }) => when(at) },
];
const NONE = 'No keys.';
/** Only a new key is ever shown as `key`. */
const FIELDS = [...Object.keys(keyItem.shape), 'team', 'key'];

type Printer = ReturnType<typeof printerOf>;
type Operator = typeof import('../keys/keys.ts');

const create = eitherWay(
  async (operator, options, { show }) => {
    const made = await operator.create(options);
    show({ id: made.id, key: made.key }, () => made.key);
  },
  async ({ client, options, show }) => {
    const { as, name } = options;
    const agent_uid = as && (await findId(client, 'agent', as));
    const made = await client.keys.create({
      ...(name && { name }),
      ...(agent_uid && { agent_uid }),
    });
    show(made, () => made.key);
  },
);

const list = eitherWay(
  async (operator, options, { showList }) => showList(await operator.list(options), COLUMNS, NONE),
  async ({ client, options: { of }, showList }) =>
    showList((await client.keys.list({ of })).keys, COLUMNS, NONE),
);

const revoke = eitherWay(
  async (operator, options, { show }, id) => {
    await operator.revoke(id, options);
    show(id, () => `Revoked ${id}.`);
  },
  async ({ client, show }, word) => {
    const id = await findId(client, 'key', word);
    await client.keys.revoke(id);
    show(id, () => `Revoked ${id}.`);
  },
);

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys');
  addKeyOptions(listOf(keys))
    .description('your keys and those of your team’s agents; for the operator, all keys')
    .addOption(new Option('--of <whom>', 'whose keys').choices(['me', 'team']))
    .action(list);
  addKeyOptions(keys.command('create'))
    .description('make a key and print it alone, once')
    .option('--name <text>', 'what the key is called in lists')
    .option('--as <agent>', 'key of this agent instead of your own')
    .option('--team <name>', 'operator: team the key belongs to, made where needed')
    .option('--user <name>', 'operator: personal key of this person, made where needed')
    .addOption(
      new Option('--role <role>', 'operator: what --user may do in the team').choices(ROLES),
    )
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

/**
 * Whether to open the service's own database, as its operator may: an option says so, or nobody is
 * signed in.
 */
async function isLocal(options: KeyOptions): Promise<boolean> {
  const { data, databaseUrl, team, user, worker } = options;
  if (data ?? databaseUrl ?? team ?? user ?? worker) return true;
  return (await findService(options)) === undefined;
}

/** Carries out a command on the database or over the network. */
function eitherWay(
  local: (operator: Operator, options: CreateOptions, print: Printer, id: string) => Promise<void>,
  network: (remote: Remote<KeyOptions>, word: string) => Promise<void>,
) {
  return async (...given: unknown[]): Promise<void> => {
    const options = given.at(-2) as KeyOptions;
    checkFields(options.json ?? [], FIELDS);
    const word = String(given[0]);
    if (!(await isLocal(options))) return network(await openRemote(options), word);
    const located = { ...options, data: options.data ?? '.runlink' };
    await local(await import('../keys/keys.ts'), located, printerOf(options), word);
  };
}

function addKeyOptions(command: Command): Command {
  return addServiceOptions(command)
    .option('--data <dir>', 'data directory of the service, for its operator (default: ".runlink")')
    .addOption(databaseUrlOption());
}
