import type { Command } from 'commander';
import { loadConfig } from '../locate.ts';
import { printJson } from '../output/json.ts';

async function check(file: string | undefined, options: { json?: boolean }): Promise<void> {
  const config = await loadConfig(file ?? 'runlink.yaml');
  if (options.json) return printJson(config);
  const { environments, models, harnesses, scorers } = config;
  const counts = [
    `${environments.length} environments`,
    `${models.length} models`,
    `${Object.keys(harnesses).length} agent profiles`,
    `${scorers.length} scorers`,
  ];
  process.stdout.write(`Valid: ${counts.join(', ')}.\n`);
}

export function addConfigCommands(program: Command): void {
  program
    .command('config')
    .description('the operator’s configuration')
    .command('check [file]')
    .description('check runlink.yaml; faults are shown as file:line:column')
    .option('--json', 'print it with all defaults, as JSON')
    .action(check);
}
