import type { Command } from 'commander';
import { loadOperatorConfig } from '../locate.ts';
import { printJson, type JsonFields } from '../output/json.ts';
import { addJsonOption } from '../remote/remote.ts';

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('the operator’s configuration');
  addJsonOption(config.command('check [file]'))
    .description('check runlink.yaml; errors are shown as file:line:column')
    .action(check);
}

async function check(file: string | undefined, options: { json?: JsonFields }): Promise<void> {
  const config = await loadOperatorConfig(file ?? 'runlink.yaml');
  if (options.json) return printJson(config, options.json);
  const { environments, models, harnesses, scorers } = config;
  const counts = [
    `${environments.length} environments`,
    `${models.length} models`,
    `${Object.keys(harnesses).length} agent profiles`,
    `${scorers.length} scorers`,
  ];
  process.stdout.write(`Valid: ${counts.join(', ')}.\n`);
}
