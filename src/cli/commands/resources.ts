import type { Command } from 'commander';
import { RunlinkError } from '../../base/error.ts';
import { connectedWorker, type ConnectedWorker } from '../../contract/connected-worker.ts';
import { environment } from '../../contract/environment.ts';
import { model, type Model } from '../../contract/model.ts';
import { listSkillsQuery, skillItem, type SkillItem } from '../../contract/skill.ts';
import { when } from '../output/table.ts';
import { addQueryOptions, readQuery, type Spellings } from '../query-options.ts';
import { readEnvironments } from '../remote/find.ts';
import { addGet, addList } from './lists.ts';

const usd = (amount: number | undefined): string => (amount === undefined ? '' : `$${amount}`);

type Environment = Awaited<ReturnType<typeof readEnvironments>>[number];

const repositories = ({ config }: Environment): string =>
  (config?.github_repos ?? []).map(({ owner, repo }) => `${owner}/${repo}`).join(', ');
const lastRun = ({ last_task_run_timestamp: at }: Environment) =>
  when(typeof at === 'string' ? at : null);

export function addEnvironmentCommands(program: Command): void {
  const group = program.command('environments');
  const fields = Object.keys(environment.shape);
  addList<Environment>(group, 'environments you may use', {
    columns: [
      { title: 'NAME', isHead: true, canShrink: true, cell: ({ config }) => config?.name },
      { title: 'ID', isHead: true, cell: ({ uid }) => ({ text: uid, style: 'cyan' }) },
      { title: 'REPOSITORIES', canShrink: true, cell: repositories },
      { title: 'LAST RUN', cell: lastRun },
    ],
    read: ({ client }) => readEnvironments(client),
    none: 'No environments. The service’s runlink.yaml defines them.',
    fields,
  });
  addGet(group, 'environment', fields, async ({ client }, id) => {
    const found = (await readEnvironments(client)).find(({ uid }) => uid === id);
    if (found) return found;
    throw new RunlinkError('not_found', `There is no environment "${id}".`);
  });
}

export function addModelCommands(program: Command): void {
  addList<Model & { standard: boolean }>(program.command('models'), 'models runs may name', {
    columns: [
      { title: 'ID', isHead: true, cell: ({ id }) => ({ text: id, style: 'cyan' }) },
      { title: 'PROVIDER', cell: ({ provider }) => provider },
      { title: 'INPUT/M', cell: ({ cost }) => usd(cost?.input_usd) },
      { title: 'OUTPUT/M', cell: ({ cost }) => usd(cost?.output_usd) },
      {
        title: 'STATE',
        isHead: true,
        cell: ({ disabled, disable_reason: reason, standard }) =>
          disabled ? `disabled: ${reason ?? ''}` : standard ? 'default' : '',
      },
    ],
    async read({ client }) {
      const { models, default_model_id: standard } = await client.models.list();
      return models.map((each) => ({ ...each, standard: each.id === standard }));
    },
    none: 'No models. The service’s runlink.yaml defines them.',
    fields: [...Object.keys(model.shape), 'standard'],
  });
}

const SKILL_SPELLINGS: Spellings = {
  repo: { flags: '--repo <owner/repo>', help: 'only those of this repository' },
  refresh: { flags: '--refresh', help: 'read the repositories anew' },
  sort_by: { flags: '--sort-by <field>', help: 'order' },
  include_malformed_skills: {
    flags: '--include-malformed',
    help: 'also those that cannot be read',
  },
};

export function addSkillCommands(program: Command): void {
  const variant = skillItem.shape.variants.element;
  const list = addList<SkillItem['variants'][number] & { name: string }>(
    program.command('skills'),
    'skills found in the environments’ repositories',
    {
      columns: [
        { title: 'NAME', isHead: true, cell: ({ name }) => name },
        {
          title: 'SKILL',
          isHead: true,
          canShrink: true,
          cell: ({ id }) => ({ text: id, style: 'cyan' }),
        },
        { title: 'DESCRIPTION', canShrink: true, cell: ({ description }) => description },
        { title: 'LAST RUN', cell: ({ last_run_timestamp: at }) => when(at) },
      ],
      async read({ client, options }) {
        const query = readQuery(listSkillsQuery, SKILL_SPELLINGS, options);
        const { agents } = await client.skills.list(query);
        return agents.flatMap(({ name, variants }) => variants.map((each) => ({ name, ...each })));
      },
      none: 'No skills. They are SKILL.md files in the environments’ repositories.',
      fields: ['name', ...Object.keys(variant.shape)],
    },
  );
  addQueryOptions(list, listSkillsQuery, SKILL_SPELLINGS);
}

export function addWorkerListCommands(program: Command): void {
  addList<ConnectedWorker>(program.command('workers'), 'connected self-hosted workers', {
    columns: [
      { title: 'HOST', isHead: true, canShrink: true, cell: ({ worker_host: host }) => host },
      { title: 'CONNECTIONS', cell: ({ connection_count: count }) => String(count) },
      { title: 'SINCE', cell: ({ connected_at: at }) => when(at) },
      { title: 'LAST SEEN', cell: ({ last_seen_at: at }) => when(at) },
    ],
    read: async ({ client }) => (await client.workers.list()).workers,
    none: 'No self-hosted worker is connected.',
    fields: Object.keys(connectedWorker.shape),
  });
}
