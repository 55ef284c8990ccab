import type { Command } from 'commander';
import type { CreateOptions, ListOptions } from '../keys/keys.ts';
import type { DataOptions } from '../locate.ts';
import { addDataOptions } from './serve.ts';

export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('make, list and revoke API keys; also while serve runs');
  addDataOptions(keys.command('create'))
    .description('make a key and print it alone, once; team and user are made where needed')
    .option('--team <name>', 'team the key belongs to')
    .option('--user <name>', 'personal key of this person')
    .option('--agent <uid>', 'key of this agent')
    .option('--worker', 'key with which workers take the team’s runs')
    .option('--name <text>', 'what the key is called in lists')
    .option('--config <file>', 'configuration with the limit of agents (default: runlink.yaml)')
    .addHelpText(
      'after',
      `
Examples:
  $ runlink keys create --team default --user ada
  $ RUNLINK_API_KEY=$(runlink keys create --team default --worker) runlink worker --base-url …`,
    )
    .action(async (options: CreateOptions) => (await import('../keys/keys.ts')).create(options));
  addDataOptions(keys.command('list'))
    .description('the keys that work')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => (await import('../keys/keys.ts')).list(options));
  addDataOptions(keys.command('revoke <key-id>'))
    .description('make a key stop working at once, everywhere')
    .action(async (keyId: string, options: DataOptions) =>
      (await import('../keys/keys.ts')).revoke(keyId, options),
    );
}
