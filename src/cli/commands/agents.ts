import type { Command } from 'commander';
import { identity, updateIdentityRequest, type Identity } from '../../contract/identity.ts';
import { shortId, when } from '../output/table.ts';
import { environmentFor } from '../remote/environment.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { addDelete, addEdit, addGet, addList, type Changeable } from './lists.ts';

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

const AGENTS: Changeable<Identity, typeof updateIdentityRequest> = {
  kind: 'agent',
  of: ({ identities }) => identities,
  schema: updateIdentityRequest,
  fields: Object.keys(identity.shape),
};
const availability = ({ available }: Identity) =>
  available
    ? { text: 'available', exact: 'yes' }
    : ({ text: 'over the plan limit', style: 'yellow' } as const);

export function addAgentsCommands(program: Command): void {
  const agents = program.command('agents');
  const { fields } = AGENTS;
  addList<Identity>(agents, 'the team’s agents, which runs can act as', {
    columns: [
      { title: 'NAME', isHead: true, canShrink: true, cell: ({ name }) => name },
      { title: 'UID', isHead: true, cell: ({ uid }) => shortId(uid) },
      { title: 'AVAILABLE', cell: availability },
      { title: 'CREATED', cell: ({ created_at: at }) => when(at) },
      { title: 'DESCRIPTION', canShrink: true, cell: ({ description }) => description },
    ],
    read: async ({ client }) => (await client.identities.list({})).agents,
    none: 'No agents. Make one with "runlink agents create".',
    fields,
  });
  addGet(agents, 'agent', fields, ({ client }, uid) => client.identities.get(uid));
  addAgentOptions(
    remoteCommand(agents, 'create <name>', 'make one; prints its uid', create, fields),
  );
  addAgentOptions(
    addEdit(agents, AGENTS, toFields, ({ show }, made) =>
      show(made, () => `Changed ${made.name}.`),
    ),
  );
  addDelete(
    agents,
    AGENTS,
    'delete an agent and, with it, all its keys',
    'All its keys stop working.',
  );
}

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

function addAgentOptions(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--prompt <text>', 'instructions for all its runs')
    .option('-e, --environment <name>', 'environment of its runs')
    .option('-m, --model <id>', 'model of its runs')
    .option('--harness <name>', 'program that works in its runs')
    .option('-s, --skill <spec...>', 'skills of its runs')
    .option('--worker-host <name>', 'self-hosted worker of its runs');
}
