import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { interruptSignal } from '../interrupt.ts';
import { addRemoteOptions, remoteClient, type RemoteOptions } from '../remote.ts';
import { printJson, table } from '../terminal.ts';

/** A command that shows one list: as a table, or with --json as the service sent it. */
export interface ListCommand<T> {
  description: string;
  header: readonly string[];
  read: (client: Client, signal: AbortSignal) => Promise<readonly T[]>;
  row: (item: T) => readonly string[];
  /** Said instead of an empty table. */
  none: string;
}

export function addListCommand<T>(parent: Command, name: string, list: ListCommand<T>): void {
  addRemoteOptions(parent.command(name))
    .description(list.description)
    .action(async (options: RemoteOptions) => {
      const items = await list.read(remoteClient(options), interruptSignal());
      if (options.json) return printJson(items);
      if (items.length === 0) return void process.stderr.write(`${list.none}\n`);
      process.stdout.write(`${table(process.stdout, list.header, items.map(list.row))}\n`);
    });
}

const usd = (amount: number): string => `$${amount}`;

export function addListCommands(program: Command): void {
  addListCommand(program, 'environments', {
    description: 'environments you may use',
    header: ['ID', 'NAME', 'REPOSITORIES', 'LAST RUN'],
    read: async (client, signal) =>
      (await client.environments.list({ sort_by: 'name' }, { signal })).environments,
    row: ({ uid, config, last_task_run_timestamp: last }) => [
      uid,
      config?.name ?? '',
      (config?.github_repos ?? []).map(({ owner, repo }) => `${owner}/${repo}`).join(', '),
      typeof last === 'string' ? last : 'never',
    ],
    none: 'No environments. They stand in the service’s runlink.yaml.',
  });
  addListCommand(program, 'models', {
    description: 'models runs may name',
    header: ['ID', 'PROVIDER', 'INPUT/M', 'OUTPUT/M', 'STATE'],
    async read(client, signal) {
      const { models, default_model_id: standard } = await client.models.list({ signal });
      return models.map((model) => ({ ...model, standard: model.id === standard }));
    },
    row: ({ id, provider, cost, disabled, disable_reason: reason, standard }) => [
      id,
      provider,
      cost ? usd(cost.input_usd) : '',
      cost ? usd(cost.output_usd) : '',
      disabled ? `disabled: ${reason ?? ''}` : standard ? 'default' : '',
    ],
    none: 'No models. They stand in the service’s runlink.yaml.',
  });
  addListCommand(program, 'skills', {
    description: 'skills found in the environments’ repositories',
    header: ['NAME', 'SKILL', 'DESCRIPTION'],
    async read(client, signal) {
      const { agents } = await client.skills.list({}, { signal });
      return agents.flatMap(({ name, variants }) =>
        variants.map((variant) => ({ name, ...variant })),
      );
    },
    row: ({ name, id, description }) => [name, id, description.slice(0, 60)],
    none: 'No skills. They are SKILL.md files in the environments’ repositories.',
  });
  addListCommand(program, 'workers', {
    description: 'connected self-hosted workers',
    header: ['HOST', 'CONNECTIONS', 'SINCE', 'LAST SEEN'],
    read: async (client, signal) => (await client.workers.list({ signal })).workers,
    row: (worker) => [
      worker.worker_host,
      String(worker.connection_count),
      worker.connected_at,
      worker.last_seen_at,
    ],
    none: 'No self-hosted worker is connected.',
  });
}
