import type { Command } from 'commander';
import type { Schedule } from '../../contract/schedule.ts';
import { interruptSignal } from '../interrupt.ts';
import { addRemoteOptions, remoteClient, type RemoteOptions } from '../remote.ts';
import { printJson } from '../terminal.ts';
import { addListCommand } from './lists.ts';

interface CreateOptions extends RemoteOptions {
  cron: string;
  prompt?: string;
  skill?: string;
  environment?: string;
  paused?: boolean;
}

const nextRun = ({ enabled, history }: Schedule): string =>
  enabled ? (history.next_run ?? '') : 'paused';

function show(schedule: Schedule, options: RemoteOptions): void {
  if (options.json) return printJson(schedule);
  process.stdout.write(
    `${schedule.id}  ${schedule.name}  ${schedule.cron_schedule}  next: ${nextRun(schedule)}\n`,
  );
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const { cron, prompt, skill, environment } = options;
  const config = {
    ...(skill && { skill_spec: skill }),
    ...(environment && { environment_id: environment }),
  };
  const made = await remoteClient(options).schedules.create(
    {
      name,
      cron_schedule: cron,
      prompt,
      enabled: !options.paused,
      ...(Object.keys(config).length > 0 && { agent_config: config }),
    },
    { signal: interruptSignal() },
  );
  show(made, options);
}

async function remove(id: string, options: RemoteOptions): Promise<void> {
  await remoteClient(options).schedules.delete(id, { signal: interruptSignal() });
  if (options.json) printJson(id);
  else process.stdout.write(`Deleted ${id}.\n`);
}

export function addSchedulesCommands(program: Command): void {
  const schedules = program.command('schedules').description('agents that run on a cron schedule');
  addListCommand(schedules, 'list', {
    description: 'by name',
    header: ['ID', 'NAME', 'CRON (UTC)', 'NEXT RUN', 'LAST RUN'],
    read: async (client, signal) => (await client.schedules.list({ signal })).schedules,
    row: (schedule) => [
      schedule.id,
      schedule.name,
      schedule.cron_schedule,
      nextRun(schedule),
      schedule.history.last_ran ?? 'never',
    ],
    none: 'No schedules. Make one with "runlink schedules create".',
  });
  addRemoteOptions(schedules.command('create <name>'))
    .description('make one; prints its id and next run')
    .requiredOption('--cron <expression>', 'minute hour day month weekday, in UTC')
    .option('--prompt <text>', 'what the agent is told')
    .option('--skill <spec>', 'skill it runs, as owner/repo:path')
    .option('-e, --environment <id>', 'environment it works in')
    .option('--paused', 'do not start yet')
    .addHelpText(
      'after',
      '\nExample:\n  $ runlink schedules create nightly --cron "0 3 * * *" --prompt "update the dependencies"',
    )
    .action(create);
  addRemoteOptions(schedules.command('pause <id>'))
    .description('no runs until resumed')
    .action(async (id: string, options: RemoteOptions) =>
      show(await remoteClient(options).schedules.pause(id), options),
    );
  addRemoteOptions(schedules.command('resume <id>'))
    .description('run by the schedule again')
    .action(async (id: string, options: RemoteOptions) =>
      show(await remoteClient(options).schedules.resume(id), options),
    );
  addRemoteOptions(schedules.command('delete <id>'))
    .description('stop all future runs')
    .action(remove);
}
