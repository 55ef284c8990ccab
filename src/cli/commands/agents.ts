import type { Command } from 'commander';
import { identity, updateIdentityRequest, type Identity } from '../../contract/identity.ts';
import { editable, editInEditor } from '../edit.ts';
import { shortId, when } from '../output/table.ts';
import { isAgreed } from '../questions.ts';
import { environmentFor } from '../remote/environment.ts';
import { findId } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { addGet, addList } from './lists.ts';

interface AgentOptions {
  name?: string;
  description?: string;
  prompt?: string;
  environment?: string;
  model?: string;
  harness?: string;
  skill?: string[];
  workerHost?: string;
}

const FIELDS = Object.keys(identity.shape);
const availability = ({ available }: Identity) =>
  available ? 'yes' : ({ text: 'over the plan limit', style: 'yellow' } as const);

async function toFields(remote: Remote<AgentOptions>) {
  const { name, description, prompt, environment, model, harness, skill, workerHost } =
    remote.options;
  const environment_id = environment && (await environmentFor(remote, environment));
  return {
    ...(name && { name }),
    ...(description !== undefined && { description }),
    ...(prompt !== undefined && { prompt }),
    ...(environment_id !== undefined && { environment_id }),
    ...(model !== undefined && { base_model: model }),
    ...(harness && { harness: { type: harness } }),
    ...(skill && { skills: skill }),
    ...(workerHost !== undefined && { worker_host: workerHost }),
  };
}

async function create(remote: Remote<AgentOptions>, name: string): Promise<void> {
  const made = await remote.client.identities.create({ ...(await toFields(remote)), name });
  remote.show(made, () => made.uid);
}

async function edit(remote: Remote<AgentOptions>, word: string): Promise<void> {
  const { client, say, show } = remote;
  const uid = await findId(client, 'agent', word);
  const changes = await toFields(remote);
  const before = Object.keys(changes).length > 0 ? undefined : await client.identities.get(uid);
  const after = before
    ? await editInEditor(
        before.name,
        editable(before, updateIdentityRequest),
        updateIdentityRequest,
      )
    : changes;
  if (!after) return say('Nothing was changed.');
  const made = await client.identities.update(uid, after);
  show(made, () => `Changed ${made.name}.`);
}

async function remove(remote: Remote<{ yes?: boolean }>, word: string): Promise<void> {
  const { client, options, show, say } = remote;
  const { uid, name } = await client.identities.get(await findId(client, 'agent', word));
  if (!(await isAgreed(`Delete the agent ${name} and all its keys?`, options.yes)))
    return say('Nothing was changed.');
  await client.identities.delete(uid);
  show(uid, () => `Deleted ${name} and its keys.`);
}

function addAgentOptions(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--prompt <text>', 'what it is always told')
    .option('-e, --environment <name>', 'environment of its runs')
    .option('-m, --model <id>', 'model of its runs')
    .option('--harness <name>', 'program that works in its runs')
    .option('-s, --skill <spec...>', 'skills of its runs')
    .option('--worker-host <name>', 'self-hosted worker of its runs');
}

export function addAgentsCommands(program: Command): void {
  const agents = program.command('agents');
  addList<Identity>(agents, 'the team’s agents, which runs can execute as', {
    columns: [
      { title: 'NAME', isHead: true, canShrink: true, cell: ({ name }) => name },
      { title: 'UID', isHead: true, cell: ({ uid }) => shortId(uid) },
      { title: 'AVAILABLE', cell: availability },
      { title: 'CREATED', cell: ({ created_at: at }) => when(at) },
      { title: 'DESCRIPTION', canShrink: true, cell: ({ description }) => description },
    ],
    read: async ({ client }) => (await client.identities.list()).agents,
    none: 'No agents. Make one with "runlink agents create".',
    fields: FIELDS,
  });
  addGet(agents, 'agent', FIELDS, ({ client }, uid) => client.identities.get(uid));
  addAgentOptions(
    remoteCommand<AgentOptions>(
      agents.command('create <name>'),
      'make one; prints its uid',
      create,
      FIELDS,
    ),
  );
  addAgentOptions(
    remoteCommand<AgentOptions>(
      agents.command('edit <agent>'),
      'change one by options; without any, in your editor',
      edit,
      FIELDS,
    ),
  ).option('--name <text>', 'another name');
  remoteCommand<{ yes?: boolean }>(
    agents.command('delete <agent>'),
    'delete an agent and, with it, all its keys',
    remove,
  ).option('-y, --yes', 'do not ask');
}
