import type { Command } from 'commander';
import { interruptSignal } from '../interrupt.ts';
import { addRemoteOptions, remoteClient, type RemoteOptions } from '../remote.ts';
import { printJson } from '../terminal.ts';
import { addListCommand } from './lists.ts';

async function create(
  name: string,
  options: RemoteOptions & { description?: string },
): Promise<void> {
  const { description } = options;
  const made = await remoteClient(options).identities.create(
    { name, ...(description && { description }) },
    { signal: interruptSignal() },
  );
  if (options.json) printJson(made);
  else process.stdout.write(`${made.uid}\n`);
}

async function remove(uid: string, options: RemoteOptions): Promise<void> {
  await remoteClient(options).identities.delete(uid, { signal: interruptSignal() });
  if (options.json) printJson(uid);
  else process.stdout.write(`Deleted ${uid} and its keys.\n`);
}

export function addAgentsCommands(program: Command): void {
  const agents = program
    .command('agents')
    .description('agent identities of the team, which runs can execute as');
  addListCommand(agents, 'list', {
    description: 'the team’s agents',
    header: ['UID', 'NAME', 'AVAILABLE', 'CREATED'],
    read: async (client, signal) => (await client.identities.list({ signal })).agents,
    row: (agent) => [
      agent.uid,
      agent.name,
      agent.available ? 'yes' : 'over the plan limit',
      agent.created_at,
    ],
    none: 'No agents. Make one with "runlink agents create".',
  });
  addRemoteOptions(agents.command('create <name>'))
    .description('make one; prints its uid')
    .option('--description <text>', 'what it is for')
    .action(create);
  addRemoteOptions(agents.command('delete <uid>'))
    .description('delete an agent and, with it, all its keys')
    .action(remove);
}
